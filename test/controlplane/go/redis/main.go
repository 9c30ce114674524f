// A Redis for the Argo CD of the tests: in memory, on loopback, gone with its process. Prints its address.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// Keys with a lifetime only age when the server is told that time has passed.
const tick = time.Second

func main() {
	server := miniredis.NewMiniRedis()
	if err := server.StartAddr("127.0.0.1:0"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer server.Close()
	fmt.Println(server.Addr())
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, os.Interrupt, syscall.SIGTERM)
	for time := time.NewTicker(tick); ; {
		select {
		case <-time.C:
			server.FastForward(tick)
		case <-ended:
			return
		}
	}
}
