#: name         Synchronize the clock
#: description  Starts the time service, synchronizes at once and reports source and offset.
#: category     maintenance
#: os           windows
#: runAs        system
#: timeout      90
#: version      1.0.0
#: updated      2026-10-20
$ErrorActionPreference = 'Stop'

Set-Service -Name w32time -StartupType Automatic
Start-Service -Name w32time
& w32tm.exe /resync /force | Out-Null
if ($LASTEXITCODE -ne 0) { Write-Warning "w32tm /resync ended with $LASTEXITCODE"; exit 1 }
& w32tm.exe /query /status | Select-String -Pattern '^(Source|Phase Offset|Last Successful Sync Time)'
