// Command emptyapp is the yardstick for the size of wasm/app: vugu and dom, one
// element, nothing else.
package main

import (
	"github.com/vugu/vugu"
	"github.com/vugu/vugu/domrender"
	"honnef.co/go/js/dom/v2"
)

type root struct{}

// Build makes the one element that there is.
func (root) Build(*vugu.BuildIn) *vugu.BuildOut {
	return &vugu.BuildOut{Out: []*vugu.VGNode{{Type: vugu.ElementNode, Data: "div", Attr: []vugu.VGAttribute{{Key: "id", Val: "app"}}}}}
}

func main() {
	renderer, err := domrender.New("#app")
	if err != nil {
		panic(err)
	}
	env, err := vugu.NewBuildEnv(renderer.EventEnv())
	if err != nil {
		panic(err)
	}
	dom.GetWindow().Document().DocumentElement().SetAttribute("data-app", "empty")
	for ok := true; ok; ok = renderer.EventWait() {
		if err := renderer.Render(env.RunBuild(root{})); err != nil {
			panic(err)
		}
	}
}
