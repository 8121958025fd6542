package storage

import (
	"errors"
	"fmt"

	"github.com/highwater-sim/highwater/engine/kafka"
)

// Error is a request that the log cannot serve. Code is what Kafka answers.
type Error struct {
	Code kafka.ErrorCode
	Msg  string // what and with which numbers
}

// Error prints code and message.
func (e *Error) Error() string { return e.Code.String() + ": " + e.Msg }

// CodeOf returns the Kafka error in err: None for nil, UnknownServerError for
// an error that is not from here.
func CodeOf(err error) kafka.ErrorCode {
	if err == nil {
		return kafka.None
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return kafka.UnknownServerError
}

func failf(code kafka.ErrorCode, format string, args ...any) *Error {
	return &Error{Code: code, Msg: fmt.Sprintf(format, args...)}
}
