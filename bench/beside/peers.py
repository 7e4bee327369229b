# SPDX-License-Identifier: MIT
"""peers: the ways to run a background: as it is, under discnice, and with other tools for the same purpose."""
import dataclasses
import shutil

import control_groups
import programs

CAP_BYTES = 5 * programs.MB


@dataclasses.dataclass
class Way:
    prefix: tuple = ()  # a command that starts the background's shell
    needs: tuple = ()
    rsync_options: str = ""  # only for rsync
    scheduler: str = "none"
    is_capped: bool = False  # held by a control group
    is_nobody: bool = False

    def lacks(self):
        """Why this way cannot be used here, or nothing."""
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
EACH_TURN = ("alone", *DISCNICE)  # the other tools need fewer turns
FIRST = ("alone", "plain", *OURS)


def in_order(ways, turn):
    """Each turn begins with another way, because what one way leaves behind in the file system or the processor must not always affect the same next way."""
    first = turn % len(ways)
    return [*ways[first:], *ways[:first]]
