// SPDX-License-Identifier: MIT

// Package gray is libgray from Go: which files are cached, in which order they are best read, and as much memory as is really there.
//
// An error is what the C library answers, a syscall.Errno. `man gray_cache` and `man gray_alloc` say which there are.
package gray

// #cgo pkg-config: gray
// #include <stdlib.h>
// #include <gray/gray.h>
import "C"

import (
	"io/fs"
	"strings"
	"syscall"
	"unsafe"
)

// Unknown is the share of a file that nothing can be said of, as of what is no regular file.
const Unknown = -1.0

// A Detector remembers how the cache can be looked at on each device. One goroutine at a time; close it after use.
type Detector struct {
	detector *C.gb_cache_t
}

// A Range is a part of a file.
type Range struct {
	Offset, Length int64
	Cached         float64 // from 0 to 1, or Unknown
}

// NewDetector makes a detector.
func NewDetector() (*Detector, error) {
	var detector *C.gb_cache_t
	if status := C.gb_cache_open(nil, &detector); status < 0 {
		return nil, syscall.Errno(-status)
	}
	return &Detector{detector}, nil
}

// Close frees the detector. A second time it does nothing.
func (d *Detector) Close() {
	C.gb_cache_close(d.detector)
	d.detector = nil
}

// Cached tells how much of the file is cached, from 0 to 1, or Unknown.
func (d *Detector) Cached(path string) (float64, error) {
	report, err := d.inspect(path)
	if err != nil {
		return Unknown, err
	}
	return known(report.cached_fraction), nil
}

// Ranges gives the parts of the file in the order in which they are best read: what is cached first.
func (d *Detector) Ranges(path string) ([]Range, error) {
	name, free, err := nameOf("ranges", path)
	if err != nil {
		return nil, err
	}
	defer free()
	var plan *C.gb_cache_plan_t
	if err := failure("ranges", path, C.gb_cache_plan_file(d.detector, name, nil, &plan)); err != nil {
		return nil, err
	}
	defer C.gb_cache_plan_free(plan)
	ranges := make([]Range, C.gb_cache_plan_count(plan))
	for rank := range ranges {
		unit := C.struct_gb_cache_unit{size: C.sizeof_struct_gb_cache_unit}
		if err := failure("ranges", path, C.gb_cache_plan_unit(plan, C.size_t(rank), &unit)); err != nil {
			return nil, err
		}
		ranges[rank] = Range{int64(unit.offset_bytes), int64(unit.length_bytes), known(unit.cached_fraction)}
	}
	return ranges, nil
}

func (d *Detector) inspect(path string) (C.struct_gb_cache_report, error) {
	report := C.struct_gb_cache_report{size: C.sizeof_struct_gb_cache_report}
	name, free, err := nameOf("inspect", path)
	if err != nil {
		return report, err
	}
	defer free()
	return report, failure("inspect", path, C.gb_cache_inspect(d.detector, name, &report))
}

func known(fraction C.double) float64 {
	if fraction < 0 {
		return Unknown
	}
	return float64(fraction)
}

// A name with a zero byte in it would be another one in C.
func nameOf(action, path string) (*C.char, func(), error) {
	if strings.IndexByte(path, 0) >= 0 {
		return nil, nil, &fs.PathError{Op: action, Path: path, Err: syscall.EINVAL}
	}
	name := C.CString(path)
	return name, func() { C.free(unsafe.Pointer(name)) }, nil
}

func failure(action, path string, status C.gb_status_t) error {
	if status < 0 {
		return &fs.PathError{Op: action, Path: path, Err: syscall.Errno(-status)}
	}
	return nil
}
