# SPDX-License-Identifier: MIT
"""peers: the ways to run a background: as it is, under discnice, and by what others use for the same end."""
import dataclasses
import shutil

import control_groups
import programs

CAP_BYTES = 5 * programs.MB


@dataclasses.dataclass
class Way:
    prefix: tuple = ()  # a command that runs the background's shell
    needs: tuple = ()
    rsync_options: str = ""  # makes sense for rsync alone
    scheduler: str = "none"
    is_capped: bool = False  # by a control group
    is_nobody: bool = False

    def lacks(self):
        """Why it can't be taken here, or nothing."""
        missing = [name for name in self.needs if not shutil.which(name)]
        if self.is_capped and not control_groups.has_blkio():
            missing.append("the blkio control group of version 1")
        return ", ".join(missing)

    def suits(self, background):
        return not self.rsync_options or background.startswith("rsync")


def held(*options):
    return Way(prefix=tuple(programs.held(*options)))


WAYS = {
    "alone": Way(is_nobody=True),
    "plain": Way(),
    "nice": held("--policy", "nice"),
    "idle": held("--policy", "idle"),
    "share": held("--policy", "share", "--rate", "20MB"),
    "rate-5MB": held("--rate", "5MB"),
    "ionice": Way(prefix=("ionice", "-c3"), needs=("ionice",)),
    "ionice-bfq": Way(prefix=("ionice", "-c3"), needs=("ionice",), scheduler="bfq"),
    "bwlimit-5MB": Way(rsync_options=f"--bwlimit={CAP_BYTES // 1024}K"),
    "blkio-cap-5MB": Way(is_capped=True),
    "nocache": Way(prefix=("nocache",), needs=("nocache",)),
}
OURS = ("nice", "idle")
DISCNICE = ("nice", "idle", "share", "rate-5MB")
EACH_TURN = ("alone", *DISCNICE)  # what others are like is known from fewer turns
FIRST = ("alone", "plain", *OURS)


def in_order(ways, turn):
    """Another of them is the first in each turn: what one leaves behind, in the file system or the processor, is not the same one's to bear."""
    first = turn % len(ways)
    return [*ways[first:], *ways[:first]]
