package bank.round;

import bank.client.ApiClient;
import bank.client.ApiException;
import bank.client.api.ConnectionsApi;
import bank.client.api.RulesApi;
import bank.client.api.TransactionsApi;
import bank.client.model.*;
import java.util.List;

/** A round of calls with the client that openapi-generator makes of the document for Java. */
public class Round {
  public static void main(String[] arguments) throws Exception {
    String company = System.getenv("BANK_COMPANY");
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("BANK_URL"));
    client.setRequestInterceptor(
        request ->
            request
                .header("x-api-key", System.getenv("BANK_API_KEY"))
                .header("x-api-secret", System.getenv("BANK_API_SECRET")));
    ConnectionsApi connections = new ConnectionsApi(client);
    TransactionsApi transactions = new TransactionsApi(client);
    OpenConnectionRequest opening = new OpenConnectionRequest().bankCode("demo").title("Java");
    String id = connections.openConnection(company, opening, null, null, null).getResult().getId();
    PutCredentialsRequest credentials = new PutCredentialsRequest();
    credentials.putAdditionalProperty("seed", "java");
    credentials.putAdditionalProperty("transactionsPerDay", 2);
    connections.putCredentials(id, company, credentials, null, null);
    connections.setUpConnection(id, company, null, null, "wait=25", null);
    SyncConnectionRequest days =
        new SyncConnectionRequest().from(java.time.LocalDate.parse("2026-01-01")).to(java.time.LocalDate.parse("2026-01-11"));
    connections.syncConnection(id, company, null, null, "wait=25", null, days);
    BankTransaction first = null;
    int count = 0;
    for (int turn = 0; first == null && turn < 100; turn++) {
      List<BankTransaction> items = page(transactions, id);
      count = items.size();
      if (count > 0) first = items.get(0);
      else Thread.sleep(100);
    }
    BankTransaction same = transactions.getTransaction(first.getId(), null, null, null, null, null, null).getResult();
    if (!same.getAmount().equals(first.getAmount())) throw new Error("the list and the resource differ");
    RuleCondition condition =
        new RuleCondition()
            .field(RuleCondition.FieldEnum.AMOUNT)
            .operator(RuleCondition.OperatorEnum.BETWEEN)
            .value(List.of(1, 100));
    CreateRuleRequest rule =
        new CreateRuleRequest()
            .name("From Java")
            .conditions(new RuleConditionsGiven().addChildrenItem(new RuleConditionsGivenChildrenInner(condition)))
            .addActionsItem(
                new CreateRuleRequestActionsInner()
                    .type(CreateRuleRequestActionsInner.TypeEnum.ATTACH_REFERENCE)
                    .reference(new ExternalReference().source("erp").entityType("invoice").externalId("1")));
    if (new RulesApi(client).createRule(company, rule, null, null, null).getResult().getId() == null) {
      throw new Error("no rule");
    }
    try {
      transactions.getTransaction("never-issued", null, null, null, null, null, null);
      throw new Error("no failure");
    } catch (ApiException failure) {
      Failure body = client.getObjectMapper().readValue(failure.getResponseBody(), Failure.class);
      if (body.getCode() != ErrorCode.TRANSACTION_NOT_FOUND) throw new Error("no error code");
    }
    System.out.println("Java: " + count + " transactions");
  }

  private static List<BankTransaction> page(TransactionsApi transactions, String connection) throws ApiException {
    return transactions
        .listTransactions(
            connection, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null,
            null, null, null, null, null, null, 5, null, null, null, null, null, null, null)
        .getResult()
        .getItems();
  }
}
