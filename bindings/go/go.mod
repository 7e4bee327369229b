module gray-toolbox.invalid/gray

go 1.21
