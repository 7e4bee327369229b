// SPDX-License-Identifier: MIT

// scan reads all of its files, what is cached first, into as much memory as is there, up to 8 MiB. It prints each file, how much of it was
// cached, and how much was read.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"gray-toolbox.invalid/gray"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "scan: no file named; usage: scan FILE...")
		os.Exit(2)
	}
	if err := scan(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "scan:", err)
		os.Exit(1)
	}
}

func scan(paths []string) error {
	detector, err := gray.NewDetector()
	if err != nil {
		return err
	}
	defer detector.Close()
	memory, err := gray.Alloc(64<<10, 8<<20, 4096)
	if err != nil {
		return fmt.Errorf("not even 64 KiB of memory: %w", err)
	}
	defer memory.Free()
	ordered, err := detector.Order(paths)
	if err != nil {
		return err
	}
	for _, path := range ordered {
		line, err := read(detector, path, memory.Bytes())
		if err != nil {
			return err
		}
		fmt.Println(line)
	}
	return nil
}

func read(detector *gray.Detector, path string, buffer []byte) (string, error) {
	share, err := detector.Cached(path)
	if err != nil {
		return "", err
	}
	ranges, err := detector.Ranges(path)
	if err != nil {
		return "", err
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	var total int64
	for _, part := range ranges {
		section := io.NewSectionReader(file, part.Offset, part.Length)
		for {
			count, err := section.Read(buffer)
			total += int64(count)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return "", err
			}
		}
	}
	if share == gray.Unknown {
		return fmt.Sprintf("%s unknown %d", path, total), nil
	}
	return fmt.Sprintf("%s %.2f %d", path, share, total), nil
}
