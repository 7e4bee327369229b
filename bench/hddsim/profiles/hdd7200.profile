# A 3.5 inch desktop disk of 7200 rpm: data sheet values common to such disks.
kind = mechanical
rotations_per_minute = 7200
seek_min = 0.8ms
seek_average = 8.5ms
seek_max = 16ms
outer_rate = 180MB
inner_rate = 90MB
zones = 16
buffer = 1MiB
write_cache = 16MiB
interface_rate = 300MB
command_time = 100us
queue_depth = 32
