#: name         Restart a service
#: description  Restarts a Windows service together with the services that depend on it and waits until it runs.
#: category     services
#: os           windows
#: runAs        system
#: timeout      180
#: version      1.0.0
#: updated      2026-09-14
#: param        Name | string | | Service name or display name
param([Parameter(Mandatory = $true)][string]$Name)
$ErrorActionPreference = 'Stop'

$service = Get-Service | Where-Object { $_.Name -eq $Name -or $_.DisplayName -eq $Name } | Select-Object -First 1
if (-not $service) { Write-Error "There is no service '$Name'."; exit 2 }
$dependents = @($service.DependentServices | Where-Object { $_.Status -eq 'Running' })

Restart-Service -Name $service.Name -Force
$service.WaitForStatus('Running', [TimeSpan]::FromSeconds(120))
foreach ($dependent in $dependents) { Start-Service -Name $dependent.Name -ErrorAction Continue }
'{0} is running again; {1} dependent services started' -f $service.DisplayName, $dependents.Count
