# An object store: a long time for each request, and a modest rate.
kind = cloud
latency = 30ms
operations_per_second = 5000
burst_operations = 3000
operation_bytes = 256KiB
rate = 60MB
burst_bytes = 250MB
queue_depth = 64
