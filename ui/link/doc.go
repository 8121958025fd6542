// Package link writes a moment of a run into the fragment of an address, and
// reads it back.
//
//	#v1.p.s=durability/acks-1&t=5200ms&n=1884&e=4s+crash+broker-1&sel=broker:1
//	 │  │ └ payload: fields joined by &, a space is +, other bytes %XX
//	 │  └ codec: p the fields as they are; d the same, DEFLATE with a preset
//	 │    dictionary, base64url without padding
//	 └ format; old ones decode for ever
//
// The fields, all optional, in this order:
//
//	v     engine version that made it, if it is not the first
//	s     scenario of the library          x  or its whole text
//	seed  if it is not the scenario's
//	e     an edit: instant, space, command; any number of them, in order
//	t     the moment                       n  events so far at it
//	sel   selection (model.SelectionText)
//	cam   camera: x,y,zoom                 sp stop of the speed slider
//
// It owns the two directions and their limits. Encode fails on what it cannot
// carry; Decode never panics and lists everything that it left out, for the
// page to show. It refuses to touch the browser's address and to open anything.
package link
