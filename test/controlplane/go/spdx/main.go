// Reads a bill of materials with the library of SPDX, which refuses what is not of the format, and says what is in it: one line a package.
package main

import (
	"fmt"
	"os"

	"github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdxlib"
)

func run() error {
	document, err := json.Read(os.Stdin)
	if err != nil {
		return err
	}
	if err := spdxlib.ValidateDocument(document); err != nil {
		return err
	}
	for _, one := range document.Packages {
		fmt.Println(one.PackageName, one.PackageVersion, one.PackageLicenseDeclared)
	}
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
