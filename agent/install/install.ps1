# Installs, updates and removes the Trailmark agent (Windows PowerShell 5.1 or newer). The server inserts its address,
# version and the programs' digests below. Only the last line runs anything, and a truncated last line is invalid, so an
# incomplete download does nothing.

function Install-TrailmarkAgent {
  [CmdletBinding()]
  param(
    # Remove the agent, its task and its identity.
    [switch]$Uninstall,
    # Update the agent, never ask for a key.
    [switch]$Update,
    # Install and enroll, leave the starting to you.
    [switch]$NoService,
    # Use plain http to a server on this machine.
    [switch]$AllowLoopbackHttp,
    # With -SourceDeviceId: what another RMM product calls this device.
    [string]$SourceSystem,
    [string]$SourceDeviceId
  )

  Set-StrictMode -Version 2.0
  $ErrorActionPreference = 'Stop'

  $server = '@SERVER@'
  $version = '@VERSION@'
  # One line per program: platform, file, SHA-256 of the download, SHA-256 of the program, bytes of the download.
  $programs = '@PROGRAMS@'

  # The same folder in a 32-bit PowerShell, which other tools' agents may start, as in a 64-bit one.
  $programFiles = $env:ProgramFiles
  if ($env:ProgramW6432) { $programFiles = $env:ProgramW6432 }
  $folder = Join-Path $programFiles 'Trailmark Agent'
  $program = Join-Path $folder 'trailmark-agent.exe'
  $state = Join-Path $env:ProgramData 'TrailmarkAgent'
  $taskName = 'Trailmark Agent'

  function Assert-Administrator {
    $identity = [Security.Principal.WindowsIdentity]::GetCurrent()
    $role = [Security.Principal.WindowsBuiltInRole]::Administrator
    if (-not (New-Object Security.Principal.WindowsPrincipal $identity).IsInRole($role)) {
      throw 'Run this in a PowerShell that was started as administrator.'
    }
  }

  function Assert-Server {
    $address = [Uri]$server
    if ($address.Scheme -eq 'https') { return }
    if (-not $address.IsLoopback) {
      throw "$server is not https: enrollment key, token and logs would cross the network in the clear."
    }
    if (-not $AllowLoopbackHttp) {
      throw "$server is plain http on this machine: use -AllowLoopbackHttp."
    }
  }

  function Stop-Agent {
    $task = Get-ScheduledTask -TaskName $taskName -ErrorAction SilentlyContinue
    if ($task) { Stop-ScheduledTask -TaskName $taskName }
    # Stopping the task does not wait for the program. Ends only ours, by its path.
    Get-Process -Name 'trailmark-agent' -ErrorAction SilentlyContinue |
      Where-Object { $_.Path -eq $program } |
      ForEach-Object { Stop-Process -Id $_.Id -Force; $_.WaitForExit(10000) | Out-Null }
    return [bool]$task
  }

  # Every user can create folders in ProgramData, so a link could lead us to change or delete other files.
  function Assert-NoLink([string]$path) {
    if ((Get-Item -LiteralPath $path -Force).Attributes -band [IO.FileAttributes]::ReparsePoint) {
      throw "$path is a link; nothing was changed."
    }
  }

  function Remove-Agent {
    $found = @(@($folder, $state) | Where-Object { Test-Path -LiteralPath $_ })
    foreach ($path in $found) { Assert-NoLink $path }
    $wasTask = Stop-Agent
    if ($wasTask) { Unregister-ScheduledTask -TaskName $taskName -Confirm:$false }
    foreach ($path in $found) { Remove-Item -LiteralPath $path -Recurse -Force }
    if (-not $wasTask -and $found.Count -eq 0) {
      Write-Output "There is no agent here: neither $folder nor $state."
      return
    }
    Write-Output "The agent is removed. What it sent stays on the server; an administrator revokes it on the device's page."
  }

  # Creates a folder only for SYSTEM and administrators. Refuses one of another user, who may have put files into it.
  function Protect-Folder([string]$path) {
    if (-not (Test-Path -LiteralPath $path)) { New-Item -ItemType Directory -Path $path | Out-Null }
    Assert-NoLink $path
    # By SID, because names differ by language: administrators, SYSTEM.
    $owner = (Get-Acl -LiteralPath $path).GetOwner([Security.Principal.SecurityIdentifier]).Value
    $me = [Security.Principal.WindowsIdentity]::GetCurrent().User.Value
    if (@('S-1-5-32-544', 'S-1-5-18', $me) -notcontains $owner) {
      throw "$path was made by another user; remove it and run this again. Nothing was changed."
    }
    & icacls.exe $path /setowner '*S-1-5-32-544' /T /C /Q | Out-Null
    & icacls.exe $path /reset /T /C /Q | Out-Null
    & icacls.exe $path /inheritance:r /grant:r '*S-1-5-18:(OI)(CI)F' '*S-1-5-32-544:(OI)(CI)F' /Q | Out-Null
    if ($LASTEXITCODE -ne 0) { throw "The rights of $path cannot be set." }
  }

  # Downloads from the server without redirects, limited in bytes and to half an hour.
  function Save-Download([string]$uri, [string]$path, [long]$bytes) {
    $request = [Net.WebRequest]::Create($uri)
    $request.AllowAutoRedirect = $false
    $request.Timeout = 60000
    $request.ReadWriteTimeout = 60000
    $end = [DateTime]::UtcNow.AddMinutes(30)
    $response = $request.GetResponse()
    try {
      if ([int]$response.StatusCode -ne 200) { throw "$uri cannot be downloaded: $([int]$response.StatusCode)." }
      $from = $response.GetResponseStream()
      $to = [IO.File]::Create($path)
      try {
        $buffer = New-Object byte[] 65536
        $left = $bytes
        while (($read = $from.Read($buffer, 0, $buffer.Length)) -gt 0) {
          $left -= $read
          if ($left -lt 0) { throw "$uri sends more than the server described; nothing was changed." }
          if ([DateTime]::UtcNow -gt $end) { throw "$uri takes too long; nothing was changed." }
          $to.Write($buffer, 0, $read)
        }
      } finally { $to.Dispose() }
    } finally { $response.Dispose() }
  }

  function Expand-Gzip([string]$packed, [string]$plain) {
    $from = [IO.File]::OpenRead($packed)
    try {
      $gzip = New-Object IO.Compression.GZipStream($from, [IO.Compression.CompressionMode]::Decompress)
      $to = [IO.File]::Create($plain)
      try { $gzip.CopyTo($to) } finally { $to.Dispose() }
    } finally { $from.Dispose() }
  }

  function Get-Sha256([string]$path) { (Get-FileHash -LiteralPath $path -Algorithm SHA256).Hash.ToLowerInvariant() }

  # Installs this version's program.
  function Copy-Program {
    $line = $programs -split "`n" | Where-Object { $_ -like 'win-x64 *' }
    if (-not $line -or -not [Environment]::Is64BitOperatingSystem) {
      throw 'The server has no program for this machine (64-bit Windows is needed).'
    }
    $file, $packedDigest, $plainDigest, $bytes = ($line.Trim() -split ' ')[1..4]
    if ((Test-Path -LiteralPath $program) -and (Get-Sha256 $program) -eq $plainDigest) {
      Write-Output "The agent $version is here already."
      return
    }
    Write-Output "Downloading the agent $version."
    $packed = Join-Path $folder 'download.gz'
    $plain = Join-Path $folder 'new.exe'
    try {
      Save-Download "$server/agent/$file" $packed $bytes
      if ((Get-Sha256 $packed) -ne $packedDigest) { throw 'The download is not what the server described; nothing was changed.' }
      Expand-Gzip $packed $plain
      if ((Get-Sha256 $plain) -ne $plainDigest) { throw 'The program is not what the server described; nothing was changed.' }
      & $plain --version | Out-Null
      if ($LASTEXITCODE -ne 0) { throw 'The program does not run on this machine; nothing was changed.' }
      Stop-Agent | Out-Null
      Move-Item -LiteralPath $plain -Destination $program -Force
    } finally {
      Remove-Item -LiteralPath $packed, $plain -Force -ErrorAction SilentlyContinue
    }
  }

  function Test-Enrolled {
    $file = Join-Path $state 'state.json'
    return (Test-Path -LiteralPath $file) -and ((Get-Content -LiteralPath $file -Raw) -match '"token"')
  }

  # The key is never passed as a program's argument, which every user could read, and its variable is hidden from the
  # programs that we start.
  function Read-Key {
    $key = $env:TRAILMARK_ENROLLMENT_KEY
    $env:TRAILMARK_ENROLLMENT_KEY = $null
    if ($Update) { return '' }
    if (-not $key -and -not (Test-Enrolled)) {
      $secret = Read-Host -Prompt 'Enrollment key' -AsSecureString
      $key = (New-Object Management.Automation.PSCredential('key', $secret)).GetNetworkCredential().Password
    }
    if ($key -and $key -notlike 'tme_*') { throw 'This is not an enrollment key: it begins with tme_.' }
    return [string]$key
  }

  function Register-Device([string]$key) {
    if (-not $key) {
      if (-not (Test-Enrolled)) { throw 'This machine is not enrolled: give the enrollment key.' }
      return
    }
    $arguments = @('--url', $server, '--state-dir', $state, '--enroll', '--enrollment-key-file', '-')
    if ($SourceSystem) { $arguments += @('--source-system', $SourceSystem, '--source-device-id', $SourceDeviceId) }
    $key | & $program @arguments
    if ($LASTEXITCODE -ne 0) { throw 'This machine was not enrolled; see above.' }
  }

  function Start-Agent {
    $action = New-ScheduledTaskAction -Execute "`"$program`"" -Argument "--state-dir `"$state`""
    $trigger = New-ScheduledTaskTrigger -AtStartup
    # SYSTEM, because other accounts cannot read the Security log.
    $principal = New-ScheduledTaskPrincipal -UserId 'S-1-5-18' -LogonType ServiceAccount -RunLevel Highest
    $settings = New-ScheduledTaskSettingsSet -AllowStartIfOnBatteries -DontStopIfGoingOnBatteries -StartWhenAvailable `
      -MultipleInstances IgnoreNew -RestartCount 999 -RestartInterval (New-TimeSpan -Minutes 1) `
      -ExecutionTimeLimit ([TimeSpan]::Zero)
    Register-ScheduledTask -TaskName $taskName -Action $action -Trigger $trigger -Principal $principal `
      -Settings $settings -Description "Trailmark agent of $server" -Force | Out-Null
    Start-ScheduledTask -TaskName $taskName
    Start-Sleep -Seconds 2
    if ((Get-ScheduledTask -TaskName $taskName).State -ne 'Running') {
      throw "The task does not run; LastTaskResult is why: Get-ScheduledTaskInfo -TaskName '$taskName'"
    }
  }

  Assert-Administrator
  if ($Uninstall) { Remove-Agent; return }
  Assert-Server
  if ([bool]$SourceSystem -ne [bool]$SourceDeviceId) { throw '-SourceSystem and -SourceDeviceId go together.' }
  if ($Update -and -not (Test-Path -LiteralPath $program)) { throw 'There is no agent to update.' }
  # 5.1 may not offer TLS 1.2; newer versions that are already enabled stay enabled.
  [Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12
  $key = Read-Key
  Protect-Folder $folder
  Protect-Folder $state
  Copy-Program
  Register-Device $key
  if ($NoService) {
    Write-Output "The agent $version is installed. To start it: & '$program' --state-dir '$state'"
  } else {
    Start-Agent
    Write-Output "The agent $version runs as the scheduled task '$taskName'. To remove it: trailmark-agent's installer with -Uninstall."
  }
}

if ($true) { Install-TrailmarkAgent @args }
