#: name         Clear temporary files
#: description  Removes files from the system's and every user's temporary folders that nobody has touched for some days, and says how much space came free. Files in use are left alone.
#: category     disk
#: os           windows
#: runAs        system
#: timeout      900
#: version      1.0.0
#: updated      2026-10-05
#: param        Days | number | 7 | Age in days from which a file goes
param([int]$Days = 7)
$ErrorActionPreference = 'Stop'

$cutoff = (Get-Date).AddDays(-$Days)
$folders = @("$env:SystemRoot\Temp") + (
    Get-ChildItem -Path "$env:SystemDrive\Users" -Directory -Force -ErrorAction SilentlyContinue |
        ForEach-Object { Join-Path $_.FullName 'AppData\Local\Temp' }
)
$freed = 0
$kept = 0
foreach ($folder in $folders | Where-Object { Test-Path -LiteralPath $_ }) {
    Get-ChildItem -LiteralPath $folder -File -Recurse -Force -ErrorAction SilentlyContinue |
        Where-Object { $_.LastWriteTime -lt $cutoff } |
        ForEach-Object {
            $size = $_.Length
            try { Remove-Item -LiteralPath $_.FullName -Force; $freed += $size } catch { $kept++ }
        }
}
'{0:N1} MiB freed, {1} files in use left alone' -f ($freed / 1MB), $kept
