# A small network volume: a cap on operations and bytes, and credits for bursts.
kind = cloud
latency = 700us
operations_per_second = 500
burst_operations = 3000
operation_bytes = 256KiB
rate = 60MB
burst_bytes = 250MB
queue_depth = 64
