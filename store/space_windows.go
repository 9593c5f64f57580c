package store

import "golang.org/x/sys/windows"

// space measures the disk of a folder, in bytes that the caller may use.
func space(dir string) (free, size int64, err error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, 0, err
	}
	var mine, all uint64
	err = windows.GetDiskFreeSpaceEx(name, &mine, &all, nil)
	return int64(mine), int64(all), err
}
