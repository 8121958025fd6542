package display

// Point is a point of an outline, in units of the shape's radius from its centre.
type Point struct{ X, Y float32 }

// OutlineMax is how many points an outline has at most.
const OutlineMax = 16

// outlines are the forms' corners, clockwise. Every one is seen whole from its
// centre, so that a fan of triangles fills it.
var outlines = [...][]Point{
	Star: {
		{0, -1}, {0.265, -0.364}, {0.951, -0.309}, {0.428, 0.139}, {0.588, 0.809},
		{0, 0.45}, {-0.588, 0.809}, {-0.428, 0.139}, {-0.951, -0.309}, {-0.265, -0.364},
	},
	Hex:      {{0, -1}, {0.866, -0.5}, {0.866, 0.5}, {0, 1}, {-0.866, 0.5}, {-0.866, -0.5}},
	Diamond:  {{0, -1}, {1, 0}, {0, 1}, {-1, 0}},
	Down:     {{-1, -0.7}, {1, -0.7}, {0, 1}},
	Up:       {{0, -1}, {1, 0.7}, {-1, 0.7}},
	Right:    {{-0.7, -1}, {1, 0}, {-0.7, 1}},
	Left:     {{0.7, -1}, {0.7, 1}, {-1, 0}},
	Triangle: {{0, -1}, {0.95, 0.75}, {-0.95, 0.75}},
	Pentagon: {{0, -1}, {0.951, -0.309}, {0.588, 0.809}, {-0.588, 0.809}, {-0.951, -0.309}},
	Heart: {
		{0, -0.45}, {0.22, -0.78}, {0.55, -0.88}, {0.88, -0.7}, {1, -0.35}, {0.88, 0.05}, {0.5, 0.5},
		{0, 0.95}, {-0.5, 0.5}, {-0.88, 0.05}, {-1, -0.35}, {-0.88, -0.7}, {-0.55, -0.88}, {-0.22, -0.78},
	},
}

// Outline fills pts with the corners of a form and returns how many there are.
func Outline(f Form, pts *[OutlineMax]Point) int {
	if int(f) >= len(outlines) {
		return 0
	}
	return copy(pts[:], outlines[f])
}
