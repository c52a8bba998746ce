#: name         Repair Windows Update
#: description  Stops the update services, sets the download folder and catalogue aside and starts the services again, so that Windows fetches its updates afresh.
#: category     updates
#: os           windows
#: runAs        system
#: timeout      600
#: version      1.0.0
#: updated      2026-09-21
$ErrorActionPreference = 'Stop'

$services = 'wuauserv', 'cryptsvc', 'bits', 'msiserver'
$stamp = Get-Date -Format 'yyyyMMddHHmmss'
$running = @($services | Where-Object { (Get-Service -Name $_).Status -eq 'Running' })
$running | ForEach-Object { Stop-Service -Name $_ -Force }
try {
    foreach ($folder in "$env:SystemRoot\SoftwareDistribution", "$env:SystemRoot\System32\catroot2") {
        if (Test-Path -LiteralPath $folder) {
            Rename-Item -LiteralPath $folder -NewName ('{0}.{1}' -f (Split-Path $folder -Leaf), $stamp)
            "set aside $folder"
        }
    }
} finally {
    $running | ForEach-Object { Start-Service -Name $_ }
}
'Update services run again; the old folders end in .{0} and may be removed' -f $stamp
