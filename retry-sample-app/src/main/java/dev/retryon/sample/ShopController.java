// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample;

import dev.retryon.RetryCallable;
import dev.retryon.spring.Retries;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClientException;
import reactor.core.publisher.Mono;

/** The shop's API. Each answer describes the call. The status is 502 if an external service has failed permanently. */
@RestController
@RequestMapping("/shop")
class ShopController {

    private final StockService stock;

    private final PaymentService payments;

    private final MailService mail;

    private final InvoiceService invoices;

    private final NewsletterService newsletters;

    private final DeliveryService deliveries;

    private final ExchangeRates rates;

    private final Journal journal;

    ShopController(
            StockService stock,
            PaymentService payments,
            MailService mail,
            InvoiceService invoices,
            NewsletterService newsletters,
            DeliveryService deliveries,
            ExchangeRates rates,
            Journal journal) {
        this.stock = stock;
        this.payments = payments;
        this.mail = mail;
        this.invoices = invoices;
        this.newsletters = newsletters;
        this.deliveries = deliveries;
        this.rates = rates;
        this.journal = journal;
    }

    @GetMapping("/stock/{item}")
    ResponseEntity<CallReport> available(@PathVariable String item) {
        return tell(() -> stock.available(item));
    }

    @GetMapping("/search/{word}")
    ResponseEntity<CallReport> search(@PathVariable String word) {
        return tell(() -> stock.search(word));
    }

    @GetMapping("/estimates/{item}")
    ResponseEntity<CallReport> estimate(@PathVariable String item) {
        return tell(() -> stock.estimate(item));
    }

    @PostMapping("/reservations")
    ResponseEntity<CallReport> reserve(
            @RequestParam(defaultValue = "lamp") String item, @RequestParam(defaultValue = "false") boolean express) {
        return tell(() -> stock.reserve(item, express));
    }

    @PostMapping("/payments")
    ResponseEntity<CallReport> charge(@RequestParam(defaultValue = "20") int amount) {
        requirePositive("amount", amount);
        return tell(() -> payments.charge(amount));
    }

    /** Runs one call that can take longer than others. The settings apply only to calls in the lambda. */
    @PostMapping("/payments/patient")
    ResponseEntity<CallReport> chargePatiently(
            @RequestParam(defaultValue = "20") int amount, @RequestParam(defaultValue = "8") int attempts) {
        requirePositive("amount", amount);
        requirePositive("attempts", attempts);
        return answer(CallReport.of(
                Retries.with(o -> o.maxAttempts(attempts).backoff("fixed")).capture(() -> payments.charge(amount))));
    }

    @PostMapping("/refunds")
    ResponseEntity<CallReport> refund(@RequestParam(defaultValue = "20") int amount) {
        requirePositive("amount", amount);
        return tell(() -> payments.refund(amount));
    }

    @GetMapping("/transfers/{id}")
    ResponseEntity<CallReport> transfer(@PathVariable String id) {
        return tell(() -> payments.transfer(id));
    }

    @PostMapping("/receipts")
    ResponseEntity<CallReport> sendReceipt(@RequestParam(defaultValue = "ann@example.com") String to) {
        return tell(() -> mail.sendReceipt(to));
    }

    /** Responds when the invoice has been sent or stored. From then on, the invoice is not lost. */
    @PostMapping("/invoices")
    ResponseEntity<CallReport> sendInvoice(@RequestParam(defaultValue = "17") String order) {
        return tell(() -> {
            invoices.send(order);
            return "invoice for order " + order + " is taken care of";
        });
    }

    @PostMapping("/newsletters")
    CompletableFuture<ResponseEntity<CallReport>> sendNewsletter(
            @RequestParam(defaultValue = "ann@example.com") String to) {
        return journal.tellLater(() -> newsletters.send(to)).thenApply(ShopController::answer);
    }

    @GetMapping("/deliveries/{item}")
    Mono<ResponseEntity<CallReport>> nextDelivery(@PathVariable String item) {
        return journal.tell(deliveries.next(item)).map(ShopController::answer);
    }

    @GetMapping("/rates/{currency}")
    ResponseEntity<CallReport> rate(@PathVariable String currency) {
        return answer(journal.tell(() -> {
            rates.of(currency);
            return "the rate of " + currency + " is known";
        }));
    }

    /** Places a whole order, as an application would write it, without any visible retry. */
    @PostMapping("/orders")
    Map<String, String> order(
            @RequestParam(defaultValue = "lamp") String item, @RequestParam(defaultValue = "20") int amount) {
        requirePositive("amount", amount);
        Map<String, String> order = new LinkedHashMap<>();
        order.put("stock", stock.reserve(item, false));
        order.put("payment", payments.charge(amount));
        order.put("mail", mail.sendReceipt("ann@example.com"));
        return order;
    }

    @ExceptionHandler
    ProblemDetail blameTheOutside(RestClientException ex) {
        return ProblemDetail.forStatusAndDetail(
                HttpStatus.BAD_GATEWAY, ex.getClass().getSimpleName());
    }

    private static ResponseEntity<CallReport> tell(RetryCallable<String, ?> call) {
        return answer(CallReport.of(Retries.capture(call)));
    }

    private static ResponseEntity<CallReport> answer(CallReport report) {
        return ResponseEntity.status(report.error() == null ? HttpStatus.OK : HttpStatus.BAD_GATEWAY)
                .body(report);
    }

    private static void requirePositive(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " is '" + value + "', but must be 1 or more");
        }
    }
}
