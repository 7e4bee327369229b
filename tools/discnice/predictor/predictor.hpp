// SPDX-License-Identifier: MIT
// predictor: predicts, for an operation that is about to be made, the bytes that the disk will move. Pure, except for the oracle that it asks.
//
// It joins the models: cache and read-ahead for reads, update regions for writes and removals, inode blocks for new files.
#pragma once

#include "tools/discnice/contract/io_estimate.hpp"
#include "tools/discnice/contract/io_op.hpp"
#include "tools/discnice/predictor/dirty_data.hpp"
#include "tools/discnice/predictor/readahead_model.hpp"
#include "tools/discnice/predictor/residency_oracle.hpp"

namespace discnice::predictor {

/// What is remembered of one open file between two operations.
struct FileState {
  ReadaheadState readahead;
  ReadaheadLimits limits;
  Belief belief;
};

/// Forgets where the last read ended and what was read ahead, because reads were made that the model does not know of. Advice of posix_fadvise() is kept.
void forget_reads(FileState& file);

/// Predicts a read (op.kind == read). Changes the file's state and the markers as if the read had been made.
IoEstimate estimate_read(const IoOp& op, FileState& file, CacheShape& shape, const ResidencyOracle& oracle,
                         std::uint64_t now_ns);

/// Predicts a read as if the kernel fetched only the pages that are asked for. It shows how much the read-ahead model improves a prediction.
IoEstimate estimate_read_alone(const IoOp& op, const ResidencyOracle& oracle);

/// Predicts what the kernel fetches at once for a program that announces which bytes it will need. These are the uncached ones among the first bytes, as far as one window or one
/// request of the device reaches. Length 0 reaches to the end. Nothing is predicted where the oracle has to probe: the probes would fetch what they ask for.
/// Source: vfs_fadvise() of mm/fadvise.c and force_page_cache_ra() of mm/readahead.c, unchanged from 5.10 to 6.18.
IoEstimate estimate_announced_read(const IoOp& op, const FileState& file, const ResidencyOracle& oracle);

/// Predicts a write: the clean blocks that it makes dirty, and the reads that are needed because it overwrites parts of absent blocks.
IoEstimate estimate_write(const IoOp& op, FileState& file, UpdateRegions& regions,
                          const ResidencyOracle& oracle, std::uint64_t now_ns);

/// Predicts a removal of op.length_bytes from op.offset_bytes on, or with a length of 0 of everything from there on (unlink and
/// replace: from 0; truncate: from the new size). Pages that keep a part are written as before.
IoEstimate estimate_remove(const IoOp& op, UpdateRegions& regions, std::uint64_t now_ns);

/// Predicts what a new file costs beyond its data (op.kind == create): its inode, of op.length_bytes, in a table of inodes that is as dirty as
/// the files made just before have left it, the bitmaps and the descriptor of its group, and of a folder its first block, of
/// op.file_size_bytes. An inode's bytes are a power of two.
/// Knowledge assumed: ext4 keeps inodes in order of their numbers, by default 8192 a group with two bitmaps and a descriptor of 64 bytes
/// (fs/ext4/ialloc.c, mke2fs.conf). Other group sizes move the share of these, some bytes a file.
IoEstimate estimate_creation(const IoOp& op, DirtyData& dirty, std::uint64_t now_ns);

/// To be called after the data that op names was sent to the disk (op.kind == settle); a length of 0 means the whole file. Writing there again costs again.
void note_sent(const IoOp& op, UpdateRegions& regions, std::uint64_t now_ns);

}  // namespace discnice::predictor
