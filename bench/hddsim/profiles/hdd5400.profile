# A 2.5 inch laptop disk of 5400 rpm.
kind = mechanical
rotations_per_minute = 5400
seek_min = 1.5ms
seek_average = 12ms
seek_max = 22ms
outer_rate = 110MB
inner_rate = 55MB
zones = 16
buffer = 512KiB
write_cache = 8MiB
interface_rate = 150MB
command_time = 150us
queue_depth = 32
