// SPDX-License-Identifier: MIT

package gray

// #include <gray/gray.h>
import "C"

import (
	"errors"
	"unsafe"
)

// Memory is zeroed bytes that were in memory when they were granted. They lie outside of Go's heap: Free gives them back, and nothing else does.
type Memory struct {
	bytes []byte
}

var errNoErrno = errors.New("no memory, and the library does not say why")

// Alloc gives the largest multiple of `multiple` bytes that is there now, at least min and at most max.
func Alloc(min, max, multiple uint) (*Memory, error) {
	var got C.size_t
	start, err := C.gb_alloc(C.size_t(min), C.size_t(max), C.size_t(multiple), &got)
	if start == nil {
		if err == nil {
			err = errNoErrno
		}
		return nil, err
	}
	return &Memory{unsafe.Slice((*byte)(start), int(got))}, nil
}

// Bytes are valid until Free.
func (m *Memory) Bytes() []byte { return m.bytes }

// Shrink gives back all but the first `bytes`, of which there must be one at least.
func (m *Memory) Shrink(bytes uint) error {
	if err := failure("shrink", "memory", C.gb_shrink(unsafe.Pointer(unsafe.SliceData(m.bytes)), C.size_t(bytes))); err != nil {
		return err
	}
	m.bytes = m.bytes[:bytes:bytes]
	return nil
}

// Free gives the memory back. A second time it does nothing.
func (m *Memory) Free() {
	C.gb_free(unsafe.Pointer(unsafe.SliceData(m.bytes)))
	m.bytes = nil
}
