func.func @squarings(%x0: tensor<4096xi16> {secret.secret}) -> tensor<4096xi16> {
  %x1 = arith.muli %x0, %x0 : tensor<4096xi16>
  %x2 = arith.muli %x1, %x1 : tensor<4096xi16>
  %x3 = arith.muli %x2, %x2 : tensor<4096xi16>
  %x4 = arith.muli %x3, %x3 : tensor<4096xi16>
  %x5 = arith.muli %x4, %x4 : tensor<4096xi16>
  %x6 = arith.muli %x5, %x5 : tensor<4096xi16>
  %x7 = arith.muli %x6, %x6 : tensor<4096xi16>
  %x8 = arith.muli %x7, %x7 : tensor<4096xi16>
  %x9 = arith.muli %x8, %x8 : tensor<4096xi16>
  %x10 = arith.muli %x9, %x9 : tensor<4096xi16>
  return %x10 : tensor<4096xi16>
}
