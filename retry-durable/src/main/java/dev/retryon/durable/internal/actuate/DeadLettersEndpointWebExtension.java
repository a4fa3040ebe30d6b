/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.actuate;

import dev.retryon.durable.DeadLetters;
import dev.retryon.spring.internal.actuate.ChangeAudit;
import dev.retryon.spring.internal.actuate.EndpointRequest;
import dev.retryon.spring.internal.actuate.Refused;
import java.util.Set;
import java.util.function.Supplier;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Over the web, whether values are shown may depend on who asks. Over the web alone, calls are sent again and discarded, if the
 * operator allows write access: {@code management.endpoint.deadletters.access=unrestricted}; the name of who asks is kept with
 * what is done. A wrong request is answered with 400, an unknown id with 404, what the state of a dead letter does not admit
 * with 409, and that the store does not answer with 503; each with words.
 */
@EndpointWebExtension(endpoint = DeadLettersEndpoint.class)
public class DeadLettersEndpointWebExtension {

    private final DeadLettersEndpoint endpoint;

    private final Show showValues;

    private final Set<String> roles;

    private final LetterChanges changes;

    public DeadLettersEndpointWebExtension(
            DeadLettersEndpoint endpoint,
            Show showValues,
            Set<String> roles,
            Supplier<DeadLetters> letters,
            ApplicationEventPublisher events) {
        this.endpoint = endpoint;
        this.showValues = showValues;
        this.roles = Set.copyOf(roles);
        this.changes = new LetterChanges(letters, events);
    }

    /**
     * Lists dead letters, those that died last first.
     *
     * @param securityContext who asks
     * @param request parameters as those of {@link DeadLettersEndpoint#letters}
     * @return a page, with counts of all that match; with status 400 what is wrong with the request
     */
    @ReadOperation
    public WebEndpointResponse<Object> letters(SecurityContext securityContext, EndpointRequest request) {
        return answer(() ->
                new WebEndpointResponse<>(endpoint.list(LetterRequest.of(request), areValuesShown(securityContext))));
    }

    /**
     * Shows one dead letter.
     *
     * @param securityContext who asks
     * @param id its id
     * @return all that is known of it; status 404 if there is none
     */
    @ReadOperation
    public WebEndpointResponse<Object> letter(SecurityContext securityContext, @Selector String id) {
        return answer(() -> {
            DeadLetterDescription letter = endpoint.letter(id, areValuesShown(securityContext));
            return letter == null ? LetterChanges.unknown(id) : new WebEndpointResponse<>(letter);
        });
    }

    /**
     * Sends a call again, or discards it.
     *
     * @param securityContext who asks
     * @param id its id
     * @param request flat JSON: {@code action}, which is {@code retry} or {@code discard}; for the former {@code delay}, for the
     *     latter {@code reason}
     * @return whether that was done
     */
    @WriteOperation
    public WebEndpointResponse<Object> change(
            SecurityContext securityContext, @Selector String id, EndpointRequest request) {
        return answer(() -> changes.one(id, LetterRequest.of(request), ChangeAudit.caller(securityContext)));
    }

    /**
     * Sends many calls again, discards them, or cancels the task that does so.
     *
     * @param securityContext who asks
     * @param request flat JSON: {@code action}, which is {@code retry}, {@code discard} or {@code cancel}; {@code ids}, else a
     *     filter of {@code method}, {@code error}, {@code text}, {@code from} and {@code before}; {@code maxPerSecond}, {@code
     *     dryRun}, {@code confirm}; {@code reason}
     * @return how many there are, and the task
     */
    @WriteOperation
    public WebEndpointResponse<Object> changeMany(SecurityContext securityContext, EndpointRequest request) {
        return answer(() -> changes.many(
                LetterRequest.of(request), ChangeAudit.caller(securityContext), areValuesShown(securityContext)));
    }

    /**
     * Discards a call. The dead letter is kept.
     *
     * @param securityContext who asks
     * @param id its id
     * @param request a {@code reason}, or nothing
     * @return whether that was done
     */
    @DeleteOperation
    public WebEndpointResponse<Object> discard(
            SecurityContext securityContext, @Selector String id, EndpointRequest request) {
        return answer(() -> changes.discard(id, LetterRequest.of(request), ChangeAudit.caller(securityContext)));
    }

    private boolean areValuesShown(SecurityContext securityContext) {
        return showValues.isShown(securityContext, roles);
    }

    private static WebEndpointResponse<Object> answer(Supplier<WebEndpointResponse<Object>> operation) {
        return Refused.orAnswer("dead letters", operation);
    }
}
