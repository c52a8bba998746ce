import { linesOf } from "./lines-of";

const PRELUDE = `
$ErrorActionPreference = 'Stop'; $ProgressPreference = 'SilentlyContinue'
[Console]::OutputEncoding = New-Object System.Text.UTF8Encoding $false
function Read-Log([hashtable] $arguments) {
  try { Get-WinEvent @arguments }
  catch { if ($_.FullyQualifiedErrorId -notlike 'NoMatchingEventsFound*') { throw } }
}
function Write-Event { process {
  [pscustomobject]@{
    LogName = $_.LogName; RecordId = $_.RecordId; Id = $_.Id; Level = $_.Level
    Keywords = if ($null -ne $_.Keywords) { '0x{0:x16}' -f $_.Keywords } else { $null }
    ProviderName = $_.ProviderName; TimeCreated = $_.TimeCreated.ToUniversalTime().ToString('o')
    MachineName = $_.MachineName; UserId = if ($_.UserId) { [string] $_.UserId } else { $null }
    ProcessId = $_.ProcessId; ThreadId = $_.ThreadId; Task = $_.TaskDisplayName
    Message = $_.Message; Xml = if ($p.xml) { $_.ToXml() } else { $null }
  } | ConvertTo-Json -Compress
} }
`;

/** name, maxSize …: every channel with entries. */
export const LIST_LOGS = `${PRELUDE}
Get-WinEvent -ListLog * -ErrorAction SilentlyContinue | Where-Object { $_.RecordCount -gt 0 } | ForEach-Object {
  [pscustomobject]@{ LogName = $_.LogName; RecordCount = $_.RecordCount; MaximumSizeInBytes = $_.MaximumSizeInBytes
    LastWriteTime = if ($_.LastWriteTime) { $_.LastWriteTime.ToUniversalTime().ToString('o') } else { '' } } | ConvertTo-Json -Compress
}`;

/**
 * log, after, time, max: oldest entries after a record id. Record ids restart when a log is cleared: if that id is
 * another record, or the newest id is lower, reading starts over.
 */
export const READ_AFTER = `${PRELUDE}
$after = [long] $p.after
$mark = Read-Log @{ LogName = $p.log; FilterXPath = "*[System[EventRecordID=$after]]"; MaxEvents = 1 }
$newest = Read-Log @{ LogName = $p.log; MaxEvents = 1 }
if ($mark) { if ($mark.TimeCreated.ToUniversalTime().ToString('o') -ne $p.time) { $after = 0 } }
elseif ($newest -and $newest.RecordId -lt $after) { $after = 0 }
Read-Log @{ LogName = $p.log; FilterXPath = "*[System[EventRecordID>$after]]"; MaxEvents = $p.max; Oldest = $true } | Write-Event`;

/** log, xpath, skip, max: entries newest first. */
export const READ_NEWEST = `${PRELUDE}
Read-Log @{ LogName = $p.log; FilterXPath = $p.xpath; MaxEvents = $p.skip + $p.max } | Select-Object -Skip $p.skip | Write-Event`;

/** log, xpath, max: number of matches; uses the reader below Get-WinEvent, which would format every message. */
export const COUNT = `${PRELUDE}
$query = New-Object System.Diagnostics.Eventing.Reader.EventLogQuery $p.log, 'LogName', $p.xpath
$reader = New-Object System.Diagnostics.Eventing.Reader.EventLogReader $query
$count = 0
while ($count -lt $p.max) { $event = $reader.ReadEvent(); if ($null -eq $event) { break }; $event.Dispose(); $count++ }
$reader.Dispose(); $count`;

/** Runs a script. @returns its lines as a stream. @throws with PowerShell's message on failure. */
export type RunScript = (script: string, parameters: object) => AsyncIterable<string>;

/** Passes parameters as base64 JSON, so that no query becomes PowerShell code. */
export function encodeScript(script: string, parameters: object): string {
  const json = Buffer.from(JSON.stringify(parameters)).toString("base64");
  const text = `$p = [Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('${json}')) | ConvertFrom-Json\n${script}`;
  return Buffer.from(text, "utf16le").toString("base64");
}

export const runPowerShell: RunScript = (script, parameters) =>
  linesOf("powershell.exe", ["-NoProfile", "-NonInteractive", "-EncodedCommand", encodeScript(script, parameters)]);
