#: name         Check disk health and space
#: description  Reports the health of every physical disk and the free space of every volume. Exit code 1 when a disk is not healthy or a volume runs short.
#: category     disk
#: os           windows
#: runAs        system
#: timeout      120
#: version      1.0.0
#: updated      2026-10-05
#: param        MinFreePercent | number | 10 | Free space below this is reported
param([int]$MinFreePercent = 10)
$ErrorActionPreference = 'Stop'

$faults = 0
foreach ($disk in Get-PhysicalDisk) {
    '{0}: {1}, {2:N0} GiB' -f $disk.FriendlyName, $disk.HealthStatus, ($disk.Size / 1GB)
    if ($disk.HealthStatus -ne 'Healthy') { $faults++ }
}
foreach ($volume in Get-Volume | Where-Object { $_.DriveLetter -and $_.DriveType -eq 'Fixed' -and $_.Size -gt 0 }) {
    $free = 100 * $volume.SizeRemaining / $volume.Size
    '{0}: {1:N0} % free of {2:N0} GiB' -f $volume.DriveLetter, $free, ($volume.Size / 1GB)
    if ($free -lt $MinFreePercent) { $faults++ }
}
if ($faults -gt 0) { exit 1 }
