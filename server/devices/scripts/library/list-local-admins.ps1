#: name         List local administrators
#: description  Lists the members of the local administrators' group with their origin and last sign-in.
#: category     security
#: os           windows
#: runAs        system
#: timeout      60
#: version      1.0.0
#: updated      2026-09-14
$ErrorActionPreference = 'Stop'

# By its well-known identifier, because the group's name is translated.
foreach ($member in Get-LocalGroupMember -SID 'S-1-5-32-544') {
    $user = $null
    if ($member.PrincipalSource -eq 'Local' -and $member.ObjectClass -eq 'User') {
        $user = Get-LocalUser -SID $member.SID -ErrorAction SilentlyContinue
    }
    [PSCustomObject]@{
        Name       = $member.Name
        Class      = $member.ObjectClass
        Source     = $member.PrincipalSource
        Enabled    = if ($user) { $user.Enabled } else { '' }
        LastSignIn = if ($user) { $user.LastLogon } else { '' }
    }
}
