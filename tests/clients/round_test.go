// A round of calls with the client that openapi-generator makes of the document for Go.
package bank

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"testing"
)

func TestRound(t *testing.T) {
	company := os.Getenv("BANK_COMPANY")
	configuration := NewConfiguration()
	configuration.Servers = ServerConfigurations{{URL: os.Getenv("BANK_URL")}}
	client := NewAPIClient(configuration)
	keys := map[string]APIKey{
		"apiKey":    {Key: os.Getenv("BANK_API_KEY")},
		"apiSecret": {Key: os.Getenv("BANK_API_SECRET")},
	}
	ctx := context.WithValue(context.Background(), ContextAPIKeys, keys)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	opened, _, err := client.ConnectionsAPI.OpenConnection(ctx).XCompanyId(company).
		OpenConnectionRequest(*NewOpenConnectionRequest("demo", "Go")).Execute()
	must(err)
	id := opened.Result.Id
	credentials := NewPutCredentialsRequest()
	credentials.AdditionalProperties = map[string]interface{}{"seed": "go", "transactionsPerDay": 2}
	_, _, err = client.ConnectionsAPI.PutCredentials(ctx, id).XCompanyId(company).PutCredentialsRequest(*credentials).Execute()
	must(err)
	_, _, err = client.ConnectionsAPI.SetUpConnection(ctx, id).XCompanyId(company).Prefer("wait=25").Execute()
	must(err)
	days := NewSyncConnectionRequest()
	days.SetFrom("2026-01-01")
	days.SetTo("2026-01-11")
	_, answer, err := client.ConnectionsAPI.SyncConnection(ctx, id).XCompanyId(company).Prefer("wait=25").
		SyncConnectionRequest(*days).Execute()
	must(err)
	list := client.TransactionsAPI.ListTransactions(ctx).AccountId(id).Limit(5)
	if position := answer.Header.Get("x-log-position"); position != "" {
		list = list.XMinLogPosition(position)
	}
	page, _, err := list.Execute()
	must(err)
	if len(page.Result.Items) == 0 {
		t.Fatal("no transaction")
	}
	first := page.Result.Items[0]
	one, _, err := client.TransactionsAPI.GetTransaction(ctx, first.Id).Execute()
	must(err)
	if one.Result.Amount != first.Amount {
		t.Fatal("the list and the resource differ")
	}
	condition := NewRuleCondition("amount", "between")
	condition.SetValue([]int{1, 100})
	conditions := NewRuleConditionsGiven([]RuleConditionsGivenChildrenInner{{RuleCondition: condition}})
	reference := NewExternalReference("erp", "invoice", "1")
	action := NewCreateRuleRequestActionsInner("attach_reference", *reference)
	rule := NewCreateRuleRequest("From Go", *conditions, []CreateRuleRequestActionsInner{*action})
	_, _, err = client.RulesAPI.CreateRule(ctx).XCompanyId(company).CreateRuleRequest(*rule).Execute()
	must(err)
	_, _, err = client.TransactionsAPI.GetTransaction(ctx, "never-issued").Execute()
	var failed *GenericOpenAPIError
	if !errors.As(err, &failed) {
		t.Fatal("no failure")
	}
	var failure Failure
	must(json.Unmarshal(failed.Body(), &failure))
	if string(failure.GetCode()) != "TRANSACTION_NOT_FOUND" {
		t.Fatal("no error code")
	}
	t.Logf("Go: %d transactions", len(page.Result.Items))
}
