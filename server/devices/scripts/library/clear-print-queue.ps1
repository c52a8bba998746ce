#: name         Clear the print queue
#: description  Stops the print spooler, removes stuck jobs and starts it again.
#: category     printing
#: os           windows
#: runAs        system
#: timeout      120
#: version      1.0.1
#: updated      2026-10-20
$ErrorActionPreference = 'Stop'

$queue = Join-Path $env:SystemRoot 'System32\spool\PRINTERS'
Stop-Service -Name Spooler -Force
try {
    $jobs = @(Get-ChildItem -LiteralPath $queue -File -Force -ErrorAction SilentlyContinue)
    $jobs | Remove-Item -Force
} finally {
    Start-Service -Name Spooler
}
'{0} spool files removed, spooler is {1}' -f $jobs.Count, (Get-Service -Name Spooler).Status
