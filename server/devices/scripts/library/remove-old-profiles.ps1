#: name         Remove unused user profiles
#: description  Removes local profiles that nobody has used for some time. Loaded, system and service profiles and those on the keep list stay. Only lists them unless Apply is given.
#: category     users
#: os           windows
#: runAs        system
#: timeout      1800
#: version      1.1.0
#: updated      2026-11-02
#: param        Days | number | 180 | Days without use from which a profile goes
#: param        Keep | string | Administrator | User names to keep, separated by commas
#: param        Apply | boolean | false | Remove them instead of listing them
param([int]$Days = 180, [string]$Keep = 'Administrator', [string]$Apply = 'false')
$ErrorActionPreference = 'Stop'

$cutoff = (Get-Date).AddDays(-$Days)
$keepers = $Keep.Split(',') | ForEach-Object { $_.Trim() } | Where-Object { $_ }
$old = @(Get-CimInstance -ClassName Win32_UserProfile | Where-Object {
        -not $_.Special -and -not $_.Loaded -and $_.LastUseTime -and $_.LastUseTime -lt $cutoff -and
        (Split-Path -Path $_.LocalPath -Leaf) -notin $keepers
    })
foreach ($userProfile in $old) {
    $line = '{0}, last used {1:yyyy-MM-dd}' -f $userProfile.LocalPath, $userProfile.LastUseTime
    if ($Apply -ne 'true') { "would remove $line"; continue }
    try { Remove-CimInstance -InputObject $userProfile; "removed $line" } catch { Write-Warning "kept ${line}: $_" }
}
'{0} profiles unused for {1} days' -f $old.Count, $Days
