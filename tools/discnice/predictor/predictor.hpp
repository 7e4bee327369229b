// SPDX-License-Identifier: MIT
// predictor: predicts the bytes that the disk will move for an operation that is about to be made. Pure, except that it asks the oracle.
//
// The predictor joins the models: cache and read-ahead for reads, update regions for writes and removals, inode blocks for new files.
#pragma once

#include "tools/discnice/contract/io_estimate.hpp"
#include "tools/discnice/contract/io_op.hpp"
#include "tools/discnice/predictor/dirty_data.hpp"
#include "tools/discnice/predictor/readahead_model.hpp"
#include "tools/discnice/predictor/residency_oracle.hpp"

namespace discnice::predictor {

/// The facts that are remembered of one open file between two operations.
struct FileState {
  ReadaheadState readahead;
  ReadaheadLimits limits;
  Belief belief;
};

/// Forgets the end of the last read and the pages that it had read ahead. Used after reads that the model was not told of. The
/// advice of posix_fadvise() is kept.
void forget_reads(FileState& file);

/// Predicts a read (op.kind == read). Changes the file's state and the markers as if the read had been made.
IoEstimate estimate_read(const IoOp& op, FileState& file, CacheShape& shape, const ResidencyOracle& oracle,
                         std::uint64_t now_ns);

/// Predicts a read as if the kernel fetched only the wanted pages. The comparison shows the effect of the read-ahead model.
IoEstimate estimate_read_alone(const IoOp& op, const ResidencyOracle& oracle);

/// Predicts the pages that the kernel fetches at once when a program announces the bytes that it will need. The kernel fetches the part of these bytes that is
/// not in memory, among the first bytes that one window or one request of the device holds. Length 0 reaches to the end. Nothing is predicted with a probing
/// oracle, because the probes would fetch the pages themselves.
/// Source: vfs_fadvise() of mm/fadvise.c and force_page_cache_ra() of mm/readahead.c, unchanged from 5.10 to 6.18.
IoEstimate estimate_announced_read(const IoOp& op, const FileState& file, const ResidencyOracle& oracle);

/// Predicts a write: the clean blocks that it makes dirty, and the reads that a partial overwrite of absent blocks needs.
IoEstimate estimate_write(const IoOp& op, FileState& file, UpdateRegions& regions,
                          const ResidencyOracle& oracle, std::uint64_t now_ns);

/// Predicts a removal of op.length_bytes from op.offset_bytes on. A length of 0 removes everything from there on (unlink and replace: from 0;
/// truncate: from the new size). Pages that are removed only in part are still written.
IoEstimate estimate_remove(const IoOp& op, UpdateRegions& regions, std::uint64_t now_ns);

/// Predicts the cost of a new file beyond its data (op.kind == create). The cost is the file's inode, of op.length_bytes, in a table of inodes, parts of
/// which may be dirty from files made just before; the bitmaps and the descriptor of its group; and for a folder its first block, of op.file_size_bytes. An
/// inode's bytes are a power of two.
/// Knowledge assumed: ext4 keeps inodes in the order of their numbers, by default 8192 in a group with two bitmaps and a descriptor of 64 bytes
///   (fs/ext4/ialloc.c, mke2fs.conf). Other group sizes change the cost of these by some bytes for each file.
IoEstimate estimate_creation(const IoOp& op, DirtyData& dirty, std::uint64_t now_ns);

/// Notes that the range of `op` was sent to the disk (op.kind == settle). A length of 0 means the whole file. A new write to this
/// range costs again.
void note_sent(const IoOp& op, UpdateRegions& regions, std::uint64_t now_ns);

}  // namespace discnice::predictor
