"""A whole agent: python3 docs/agent.py http://127.0.0.1:3000 tme_… (Python 3.8 or newer, no packages)."""
import gzip, json, random, socket, sys, threading, time, urllib.error, urllib.request
from datetime import datetime, timezone

URL, KEY = sys.argv[1] + "/api/v1", sys.argv[2]
now = lambda: datetime.now(timezone.utc).isoformat()
token = None

def call(method, path, body=None, timeout=30):
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"} if body is not None else {}
    if token: headers["Authorization"] = "Bearer " + token
    data = None if body is None else gzip.compress(json.dumps(body).encode())
    return urllib.request.urlopen(urllib.request.Request(URL + path, data, headers, method=method), timeout=timeout)

def retried(method, path, body):  # again after 429, 5xx and network faults, later each time
    for attempt in range(1000):
        try: return json.load(call(method, path, body))
        except urllib.error.HTTPError as error:
            if error.code != 429 and error.code < 500: raise
        except OSError: pass
        time.sleep(random.random() * min(60, 2 ** attempt))

# One log in memory; yours reads the machine's.
ENTRIES = [{"recordId": n, "timeCreated": now(), "level": "information", "source": "demo", "eventId": 7,
            "message": f"entry {n}"} for n in range(1, 21)]

def answer(name, params):
    if name == "eventlogs.list":
        return {"logs": [{"name": "Demo", "displayName": "Demo", "recordCount": len(ENTRIES)}]}
    if params["logName"].lower() != "demo": return None
    if name == "eventlogs.get":
        return next((entry for entry in ENTRIES if entry["recordId"] == params["recordId"]), None)
    found = [entry for entry in reversed(ENTRIES) if params.get("level") in (None, entry["level"])]
    start = (params["page"] - 1) * params["limit"]
    return {"events": found[start:start + params["limit"]], "total": len(found)}

def live(agent):  # the command stream; a comment comes every 15 s, so 40 s of silence mean a dead connection
    while True:
        try:
            for line in call("GET", agent + "/commands", timeout=40):
                if not line.startswith(b"data: "): continue
                command = json.loads(line[6:])
                data = answer(command["name"], command["params"])
                failed = {"ok": False, "error": {"code": "not_found", "message": "no such log or entry"}}
                call("POST", f"{agent}/commands/{command['id']}/result", {"ok": True, "data": data} if data else failed)
        except OSError as error: print("live:", error, file=sys.stderr)
        time.sleep(random.random() * 5)

me = retried("POST", "/agents/enroll", {"enrollmentKey": KEY, "hostname": socket.gethostname(), "os": "linux"})
token, agent = me["token"], "/agents/" + me["agentId"]  # keep both on the disk: a token is shown once
print(me["deviceId"], flush=True)
threading.Thread(target=live, args=[agent], daemon=True).start()
retried("POST", agent + "/logs", {"logs": [{"timestamp": now(), "level": "info", "component": "main", "message": "started"}]})
retried("PUT", agent + "/eventlogs", {"events": [{"timestamp": e["timeCreated"], "level": "info", "category": "application",
    "source": "demo", "eventId": f"demo:{e['recordId']}:{e['timeCreated']}", "message": e["message"]} for e in ENTRIES]})
while True: time.sleep(retried("POST", agent + "/heartbeat", {"status": "running"})["intervalSeconds"])
