# Flash behind a fast bus: no head, a short time for each request.
kind = cloud
latency = 80us
operations_per_second = 20000
burst_operations = 30000
operation_bytes = 256KiB
rate = 500MB
burst_bytes = 2500MB
queue_depth = 64
