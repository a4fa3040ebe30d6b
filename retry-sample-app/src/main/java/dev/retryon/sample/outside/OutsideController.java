// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample.outside;

import java.util.Map;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Sets and shows the answers of the external services. */
@RestController
@RequestMapping("/outside")
class OutsideController {

    private final OutsideWorld world;

    OutsideController(OutsideWorld world) {
        this.world = world;
    }

    @GetMapping
    Map<String, OutsideReport> reports() {
        return world.reports();
    }

    @GetMapping("/{service}")
    OutsideReport report(@PathVariable String service) {
        return world.report(service);
    }

    @PostMapping("/{service}")
    OutsideReport answer(@PathVariable String service, @RequestParam String answers) {
        return world.answer(service, answers);
    }
}
