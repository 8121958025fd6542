package record

import "iter"

// Found is a batch at its place in a log file.
type Found struct {
	Pos    int64 // of the batch in the file
	Raw    Raw   // nil if not even its frame is whole
	Header Header
	Err    error // an *Error with its position in the file; nil if all is well
}

// Scan ranges over the batches of a log file (.log, or a KRaft .checkpoint),
// each checked by Verify. A batch with a good frame and a bad inside is
// reported, and the scan goes on behind it; where the frame itself is broken,
// nobody knows where the next batch begins, so that one is the last.
func Scan(file []byte) iter.Seq[Found] {
	return func(yield func(Found) bool) {
		for pos := 0; pos < len(file); {
			f := Found{Pos: int64(pos)}
			r, err := Frame(file[pos:])
			if err == nil {
				f.Raw, f.Header = r, r.Header()
				err = Verify(r)
			}
			if e, ok := err.(*Error); ok {
				f.Err = e.at(f.Pos)
			}
			if !yield(f) || f.Raw == nil {
				return
			}
			pos += len(r)
		}
	}
}
