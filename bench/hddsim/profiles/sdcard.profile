# A memory card of the cheaper kind: no seek, but writing outside the few open erase blocks costs an erase.
kind = card
read_rate = 80MB
write_rate = 20MB
command_time = 300us
erase_block = 4MiB
open_blocks = 2
erase_time = 60ms
