package record

import "strconv"

// Error says what is wrong in a batch or a log file, and where.
type Error struct {
	Pos      int64  // byte position: in the batch; from Scan, in the file
	What     string // what was looked at
	Expected int64
	Found    int64
}

// Error prints place, cause, expected and found.
func (e *Error) Error() string {
	return "record: at byte " + strconv.FormatInt(e.Pos, 10) + ": " + e.What +
		": expected " + strconv.FormatInt(e.Expected, 10) + ", found " + strconv.FormatInt(e.Found, 10)
}

// at returns the error moved by base bytes.
func (e *Error) at(base int64) *Error {
	c := *e
	c.Pos += base
	return &c
}
