package tidy

import (
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// machines are the folders in which a float may not decide anything.
var machines = []string{
	"engine/sim", "engine/storage", "engine/raft", "engine/controller", "engine/broker", "engine/group", "engine/txn", "engine/client",
	"engine/node", "engine/world", "engine/record", "engine/metadata",
}

// engineAllowances bend the rules below: "folder: what" -> reason.
var engineAllowances = map[string]string{}

// No goroutine, no channel, no select, no walk over a map in unknown order, and
// in the machines no float: the same input gives the same bytes.
func TestEngineIsDeterministic(t *testing.T) {
	allowed := allow(engineAllowances)
	config := &packages.Config{
		Dir: root,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule,
	}
	list, err := packages.Load(config, "./engine/...")
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		t.Fatal("no package in ./engine")
	}
	for _, pkg := range list {
		dir := strings.TrimPrefix(strings.TrimPrefix(pkg.PkgPath, module), "/")
		if under(dir, "engine/cmd") {
			continue
		}
		if len(pkg.Errors) > 0 {
			t.Errorf("%s does not compile: %v", dir, pkg.Errors[0])
			continue
		}
		l := &linter{dir: dir, pkg: pkg, floats: under(dir, machines...)}
		for _, file := range pkg.Syntax {
			ast.Inspect(file, l.visit)
		}
		for _, f := range l.found {
			if !allowed.has(dir + ": " + f.what) {
				t.Errorf("%s/%s:%d: %s", dir, filepath.Base(f.at.Filename), f.at.Line, f.what)
			}
		}
	}
	allowed.stale(t)
}

// linter looks for what the engine must not use.
type linter struct {
	dir    string
	pkg    *packages.Package
	floats bool
	sorted map[ast.Node]bool // calls that stand inside slices.Sorted
	found  []finding
}

type finding struct {
	at   token.Position
	what string
}

func (l *linter) add(n ast.Node, what string) {
	l.found = append(l.found, finding{l.pkg.Fset.Position(n.Pos()), what})
}

// visit is called for every node, outer before inner.
func (l *linter) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GoStmt:
		l.add(n, "go statement: the engine has one thread")
	case *ast.SelectStmt:
		l.add(n, "select: the engine has no channels")
	case *ast.SendStmt:
		l.add(n, "channel send: the engine has no channels")
	case *ast.ChanType:
		l.add(n, "channel type: the engine has no channels")
	case *ast.RangeStmt:
		if _, ok := l.typeOf(n.X).Underlying().(*types.Map); ok {
			l.add(n, "range over a map: the order is unknown; walk sorted keys")
		}
	case *ast.CallExpr:
		l.call(n)
	case *ast.Ident:
		if l.floats {
			if kind, ok := l.pkg.TypesInfo.Uses[n].(*types.TypeName); ok && kind.Pkg() == nil && strings.HasPrefix(kind.Name(), "float") {
				l.add(n, "float: no float decides anything in a machine")
			}
		}
	}
	return true
}

// call looks at iterators over maps, which have no order either.
func (l *linter) call(n *ast.CallExpr) {
	switch l.callee(n) {
	case "slices.Sorted", "slices.SortedFunc", "slices.SortedStableFunc":
		if l.sorted == nil {
			l.sorted = map[ast.Node]bool{}
		}
		for _, arg := range n.Args {
			l.sorted[ast.Unparen(arg)] = true
		}
	case "maps.Keys", "maps.Values", "maps.All":
		if !l.sorted[n] {
			l.add(n, "iterator over a map: the order is unknown; put it into slices.Sorted")
		}
	}
}

// callee names the called function of another package: "maps.Keys".
func (l *linter) callee(n *ast.CallExpr) string {
	fun := ast.Unparen(n.Fun)
	if index, ok := fun.(*ast.IndexExpr); ok {
		fun = index.X
	}
	if index, ok := fun.(*ast.IndexListExpr); ok {
		fun = index.X
	}
	selector, ok := fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	function, ok := l.pkg.TypesInfo.Uses[selector.Sel].(*types.Func)
	if !ok || function.Pkg() == nil {
		return ""
	}
	return function.Pkg().Path() + "." + function.Name()
}

// typeOf is an expression's type, the invalid type where it has none.
func (l *linter) typeOf(x ast.Expr) types.Type {
	if kind := l.pkg.TypesInfo.TypeOf(x); kind != nil {
		return kind
	}
	return types.Typ[types.Invalid]
}
