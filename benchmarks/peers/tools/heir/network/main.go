package main

func main() {
	x, first, second, third := input("x"), input("first"), input("second"), input("third")
	c := start()
	evaluator, param, encoder, encryptor, decryptor := Network__configure()
	matrices, plain := Network__preprocessing(param, encoder, third, second, first)
	c.prepared()
	var results []float32
	for c.more() {
		encrypted := Network__encrypt__arg0(evaluator, param, encoder, encryptor, x)
		c.mark("encrypt")
		evaluated := Network__preprocessed(
			evaluator, param, encoder, encrypted, first, second, third, matrices, plain)
		c.mark("evaluate")
		results = Network__decrypt__result0(evaluator, param, encoder, decryptor, evaluated)
		c.mark("decrypt")
	}
	tell(c, results)
}
