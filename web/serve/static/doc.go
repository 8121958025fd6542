// Package static serves a built site the way a good static host does: right
// types, the compressed copy the browser accepts, a content hash as ETag, for
// ever where the address carries that hash, and the content policy as a header.
//
//	GET name?v=hash ─> file name(.br|.gz) ─> ETag, Cache-Control, Content-Encoding
//
// It refuses to list folders, to leave its folder, and every method but GET and
// HEAD.
package static
