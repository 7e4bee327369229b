// SPDX-License-Identifier: MIT

package gray

// #include <gray/gray.h>
import "C"

import "sort"

const (
	muchBytes         = 4 << 20
	missingShareMax   = 0.125
	cachedFractionMin = 0.5
)

// In the order in which they are read.
const (
	groupWhole = iota
	groupMuch
	groupOthers
	groupUnknown
	groupUnseen
)

type file struct {
	path     string
	isSeen   bool
	bytes    float64
	fraction float64
	group    int
	place    C.struct_gb_layout_place
	by       C.gb_order_t
}

// Order gives the files in the order in which they are best read: what is cached first, the rest as it lies on the disk. Those that cannot be
// looked at come last; to open one of them says why. The rules are those of `gbp -compose`, which says why they are so; times of probes are not compared.
func (d *Detector) Order(paths []string) []string {
	files := make([]file, len(paths))
	isPlaced := false
	var bytes, cached float64
	for i, path := range paths {
		files[i] = d.look(path)
		isPlaced = isPlaced || files[i].isSeen && files[i].by != C.GB_ORDER_NONE
		if files[i].isSeen && files[i].fraction >= 0 {
			bytes += files[i].bytes
			cached += files[i].bytes * files[i].fraction
		}
	}
	for i := range files {
		files[i].group = groupOf(&files[i], bytes-cached > missingShareMax*bytes)
	}
	sort.SliceStable(files, func(i, j int) bool {
		a, b := &files[i], &files[j]
		if a.group != b.group || !isPlaced || !a.isSeen {
			return a.group < b.group
		}
		return liesBefore(a, b)
	})
	ordered := make([]string, len(files))
	for i := range files {
		ordered[i] = files[i].path
	}
	return ordered
}

func (d *Detector) look(path string) file {
	unseen := file{path: path, by: C.GB_ORDER_NONE}
	report, err := d.inspect(path)
	if err != nil {
		return unseen
	}
	seen := file{path: path, isSeen: true, bytes: float64(report.size_bytes), fraction: float64(report.cached_fraction)}
	seen.place.size = C.sizeof_struct_gb_layout_place
	name, free, err := nameOf("order", path)
	if err != nil {
		return unseen
	}
	defer free()
	if C.gb_layout_find(name, &seen.place) < 0 || C.gb_layout_advise(name, 0, &seen.by) < 0 {
		return unseen
	}
	return seen
}

func groupOf(f *file, isMuchMissing bool) int {
	switch {
	case !f.isSeen:
		return groupUnseen
	case f.fraction < 0:
		return groupUnknown
	case f.fraction >= 1:
		return groupWhole
	case f.fraction >= cachedFractionMin && (isMuchMissing || f.bytes*f.fraction >= muchBytes):
		return groupMuch
	}
	return groupOthers
}

// Files of one device have one order. Devices are kept apart.
func liesBefore(a, b *file) bool {
	if a.place.device != b.place.device {
		return a.place.device < b.place.device
	}
	return C.gb_layout_compare_by(&a.place, &b.place, a.by) < 0
}
