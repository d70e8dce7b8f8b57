"""Applications in other forms than Python: neural networks in ONNX, circuits of bits in BLIF."""
