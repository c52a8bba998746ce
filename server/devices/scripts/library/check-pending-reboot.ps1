#: name         Check for a pending restart
#: description  Reports whether a restart is pending, and why. Exit code 1 when it is.
#: category     updates
#: os           windows
#: runAs        system
#: timeout      60
#: version      1.0.0
#: updated      2026-08-30
$ErrorActionPreference = 'Stop'

$reasons = @()
$current = 'HKLM:\SOFTWARE\Microsoft\Windows\CurrentVersion'
if (Test-Path "$current\Component Based Servicing\RebootPending") { $reasons += 'component servicing' }
if (Test-Path "$current\WindowsUpdate\Auto Update\RebootRequired") { $reasons += 'Windows Update' }
$session = Get-ItemProperty 'HKLM:\SYSTEM\CurrentControlSet\Control\Session Manager'
if ($session.PSObject.Properties['PendingFileRenameOperations']) { $reasons += 'file renames' }
$names = 'HKLM:\SYSTEM\CurrentControlSet\Control\ComputerName'
$active = (Get-ItemProperty "$names\ActiveComputerName").ComputerName
$next = (Get-ItemProperty "$names\ComputerName").ComputerName
if ($active -ne $next) { $reasons += "rename from $active to $next" }

$boot = (Get-CimInstance Win32_OperatingSystem).LastBootUpTime
'Last start: {0:yyyy-MM-dd HH:mm}' -f $boot
if ($reasons.Count -eq 0) { 'No restart is pending'; exit 0 }
'A restart is pending: {0}' -f ($reasons -join ', ')
exit 1
