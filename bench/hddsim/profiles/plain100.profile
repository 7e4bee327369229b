# A disk easy to calculate with: 7200 rpm, one zone of 100 MB/s, no write cache, first come first served.
kind = mechanical
rotations_per_minute = 7200
seek_min = 1ms
seek_average = 6.2ms
seek_max = 10ms
outer_rate = 100MB
inner_rate = 100MB
zones = 1
buffer = 256KiB
write_cache = 0
interface_rate = 300MB
command_time = 50us
queue_depth = 1
