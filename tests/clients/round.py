"""A round of calls with the client that openapi-python-client makes of the document."""

import os

from bank_client import AuthenticatedClient
from bank_client.api.connections import open_connection, put_credentials, set_up_connection, sync_connection
from bank_client.api.rules import create_rule
from bank_client.api.transactions import get_transaction, list_transactions
from bank_client.models import (
    CreateRuleRequest,
    OpenConnectionRequest,
    PutCredentialsRequest,
    SyncConnectionRequest,
)
from bank_client.types import UNSET

company = os.environ["BANK_COMPANY"]
client = AuthenticatedClient(
    base_url=os.environ["BANK_URL"],
    token=os.environ["BANK_API_KEY"],
    auth_header_name="x-api-key",
    prefix="",
    headers={"x-api-secret": os.environ["BANK_API_SECRET"]},
    timeout=40,
)
request = OpenConnectionRequest.from_dict({"bankCode": "demo", "title": "Python"})
connection = open_connection.sync(client=client, x_company_id=company, body=request).result.id
credentials = PutCredentialsRequest.from_dict({"seed": "python", "transactionsPerDay": 2})
put_credentials.sync(connection, client=client, x_company_id=company, body=credentials)
set_up_connection.sync(connection, client=client, x_company_id=company, prefer="wait=25")
days = SyncConnectionRequest.from_dict({"from": "2026-01-01", "to": "2026-01-11"})
synced = sync_connection.sync_detailed(connection, client=client, x_company_id=company, prefer="wait=25", body=days)
position = synced.headers.get("x-log-position", UNSET)
page = list_transactions.sync(client=client, account_id=connection, limit=5, x_min_log_position=position).result
first = page.items[0]
assert get_transaction.sync(first.id, client=client).result.amount == first.amount
rule = CreateRuleRequest.from_dict(
    {
        "name": "From Python",
        "conditions": {"children": [{"field": "amount", "operator": "between", "value": [1, 100]}]},
        "actions": [
            {
                "type": "attach_reference",
                "reference": {"source": "erp", "entityType": "invoice", "externalId": "1"},
            }
        ],
    }
)
assert create_rule.sync(client=client, x_company_id=company, body=rule).result.id
missing = get_transaction.sync("never-issued", client=client)
assert missing.code == "TRANSACTION_NOT_FOUND", missing
print(f"Python: {len(page.items)} transactions")
