// SPDX-License-Identifier: MIT

package gray

// #include <stdlib.h>
// #include <gray/gray.h>
import "C"

import (
	"strings"
	"syscall"
	"unsafe"
)

// Order gives the files in the order in which they are best read: what is cached first, the rest as it lies on the disk. Those that cannot be
// looked at come last; to open one of them says why. It is the order of `gbp -compose`.
func (d *Detector) Order(paths []string) ([]string, error) {
	names := make([]*C.char, len(paths)+1) // a null pointer more: an empty list has an address, too
	defer func() {
		for _, name := range names {
			C.free(unsafe.Pointer(name))
		}
	}()
	for i, path := range paths {
		if strings.IndexByte(path, 0) < 0 { // else no name to the library, and last
			names[i] = C.CString(path)
		}
	}
	options := C.struct_gb_order_options{size: C.sizeof_struct_gb_order_options, detector: d.detector}
	var list *C.gb_order_list_t
	if status := C.gb_order_find(&names[0], C.size_t(len(paths)), &options, &list); status < 0 {
		return nil, syscall.Errno(-status)
	}
	defer C.gb_order_free(list)
	ordered := make([]string, len(paths))
	for rank := range ordered {
		file := C.struct_gb_order_file{size: C.sizeof_struct_gb_order_file}
		if status := C.gb_order_at(list, C.size_t(rank), &file); status < 0 {
			return nil, syscall.Errno(-status)
		}
		ordered[rank] = paths[file.input]
	}
	return ordered, nil
}
