#: name         Flush the DNS cache
#: description  Empties the resolver's cache, registers the computer's names again and resolves a name as a trial.
#: category     network
#: os           windows
#: runAs        system
#: timeout      60
#: version      1.0.0
#: updated      2026-08-30
#: param        TestName | string | example.com | Name to resolve afterwards
param([string]$TestName = 'example.com')
$ErrorActionPreference = 'Stop'

Clear-DnsClientCache
Register-DnsClient
$answer = Resolve-DnsName -Name $TestName -Type A -DnsOnly -ErrorAction SilentlyContinue | Select-Object -First 1
if (-not $answer) { Write-Warning "The cache is empty, but $TestName does not resolve."; exit 1 }
'The cache is empty; {0} resolves to {1}' -f $TestName, $answer.IPAddress
