# SPDX-License-Identifier: BSD-2-Clause
"""Programs in two VMs that talk to each other: the server is started, found
listening, and the client runs against it."""

from dataclasses import dataclass

from tern_lab import LabError


@dataclass
class Run:
    server_command: str
    client_command: str
    server: str
    client: str


def run_pair(server, client, server_command, client_command, *, listen, timeout=120):
    """Runs both to their end. @listen: TCP port on which the server listens.
    LabError with both outputs unless both exit 0."""
    waiting = server.spawn(server_command, timeout=timeout)
    try:
        server.wait_for(f"ss -ltn | grep -q ':{listen} '", seconds=30)
        asked = client.run(client_command, timeout=timeout, check=False)
        served = waiting.wait(timeout)
    finally:
        if waiting.is_running:
            waiting.kill()
    if asked.status or served.status:
        raise LabError(f"client `{client_command}` exited {asked.status}:\n{asked.output}\n"
                       f"server `{server_command}` exited {served.status}:\n{served.output}")
    return Run(server_command, client_command, served.output, asked.output)


def last_row(output):
    """Numbers of the last table row that perftest printed."""
    rows = [line.split() for line in output.splitlines() if line.split() and line.split()[0].isdigit()]
    if not rows:
        raise LabError(f"no table in\n{output}")
    return [float(word) for word in rows[-1]]
