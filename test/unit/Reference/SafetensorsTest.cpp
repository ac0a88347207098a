//===- SafetensorsTest.cpp - Tests of .safetensors files ------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Reference/Safetensors.h"
#include "TestUtil.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"

using namespace pl::ref;
using namespace pl::ref::test;

namespace {

/// A file of the given header and data.
std::string fileOf(llvm::StringRef header, llvm::StringRef data) {
  char length[8];
  llvm::support::endian::write64le(length, header.size());
  return std::string(length, 8) + header.str() + data.str();
}

llvm::Expected<SafetensorsFile> parse(llvm::StringRef bytes) {
  return SafetensorsFile::parse(llvm::MemoryBuffer::getMemBufferCopy(bytes),
                                "t");
}

std::string errorOf(llvm::StringRef bytes) {
  llvm::Expected<SafetensorsFile> file = parse(bytes);
  return file ? "no error" : llvm::toString(file.takeError());
}

std::string errorOf(llvm::StringRef header, llvm::StringRef data) {
  return errorOf(fileOf(header, data));
}

TEST(SafetensorsTest, ReadsWhatTheFormatDescribes) {
  // Bytes by hand: two int16, then one float32 1.5 = 0x3fc00000.
  std::string bytes =
      fileOf(R"({"__metadata__":{"by":"hand"},)"
             R"("b":{"dtype":"F32","shape":[],"data_offsets":[4,8]},)"
             R"("a":{"dtype":"I16","shape":[2,1],"data_offsets":[0,4]},)"
             R"("none":{"dtype":"F64","shape":[3,0],"data_offsets":[8,8]}}   )",
             llvm::StringRef("\x01\x00\xff\xff\x00\x00\xc0\x3f", 8));
  SafetensorsFile file = ok(parse(bytes));
  ASSERT_EQ(file.getEntries().size(), 3u);
  EXPECT_EQ(file.getEntries()[0].name, "a");
  EXPECT_EQ(valuesOf(ok(file.read("a"))), (Values{1, -1}));
  EXPECT_EQ(shapeOf(ok(file.read("a"))), "[2, 1]");
  EXPECT_EQ(ok(file.read("b")).getDouble(0), 1.5);
  EXPECT_EQ(ok(file.read("b")).rank(), 0);
  EXPECT_EQ(shapeOf(ok(file.read("none"))), "[3, 0]");
  EXPECT_EQ(file.getMetadata()[0],
            (std::pair<std::string, std::string>{"by", "hand"}));
  EXPECT_EQ(messageOf(file.read("c")), "t has no tensor 'c'");
}

TEST(SafetensorsTest, UnknownDTypesFailOnlyWhenRead) {
  SafetensorsFile file = ok(parse(fileOf(
      R"({"q":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]}})", "ab")));
  EXPECT_EQ(messageOf(file.read("q")),
            "t: tensor 'q' is F8_E4M3, which arrays do not have");
}

TEST(SafetensorsTest, HostileHeadersAreErrors) {
  auto bad = [](llvm::StringRef why) {
    return ("t: malformed .safetensors file: " + why).str();
  };
  EXPECT_EQ(errorOf("abc"), bad("it has 3 bytes, fewer than the length of its "
                                "header takes"));
  EXPECT_EQ(errorOf(std::string(8, '\xff')),
            bad("its header claims 18446744073709551615 bytes; the limit is "
                "100000000"));
  EXPECT_EQ(errorOf(llvm::StringRef("\x10\0\0\0\0\0\0\0{}", 10)),
            bad("its header claims 16 bytes, but only 2 follow"));
  EXPECT_EQ(errorOf("[]", ""), bad("its header does not start with '{'"));
  EXPECT_EQ(errorOf("{\"\xff\":1}", ""), bad("its header is not UTF-8"));
  EXPECT_EQ(errorOf("{\"a\":" + std::string(100000, '[') + "}", ""),
            bad("JSON nested more than 64 deep"));
  EXPECT_EQ(errorOf(R"({"a":{"dtype":"F32","shape":[1]}})", ""),
            bad("tensor 'a' needs dtype, shape and two data_offsets"));
  EXPECT_EQ(
      errorOf(R"({"a":{"dtype":"I8","shape":[4],"data_offsets":[0,4]}})",
              "abc"),
      bad("tensor 'a' ends at byte 4 of the data, which has 3; the file is cut "
          "off"));
  EXPECT_EQ(errorOf(R"({"a":{"dtype":"I8","shape":[2],"data_offsets":[3,1]}})",
                    "abc"),
            bad("tensor 'a' data_offsets must be two offsets in order"));
  EXPECT_EQ(
      errorOf(R"({"a":{"dtype":"I8","shape":[-1],"data_offsets":[0,1]}})", "a"),
      bad("tensor 'a' shape must hold non-negative integers"));
  // 2^62 * 4 elements overflow 64 bits.
  EXPECT_EQ(errorOf(R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],)"
                    R"("data_offsets":[0,0]}})",
                    ""),
            bad("tensor 'a' shape [4611686018427387904, 4] of float32 does not "
                "match its 0 bytes"));
  EXPECT_EQ(errorOf(R"({"a":{"dtype":"I8","shape":[2],"data_offsets":[0,2]},)"
                    R"("b":{"dtype":"I8","shape":[2],"data_offsets":[1,3]}})",
                    "abc"),
            bad("tensors 'a' and 'b' overlap"));
  EXPECT_EQ(
      errorOf(R"({"a":{"dtype":"I8","shape":[1],"data_offsets":[1,2]}})", "ab"),
      bad("no tensor holds bytes 0 to 1 of the data"));
  EXPECT_EQ(
      errorOf(R"({"a":{"dtype":"I8","shape":[1],"data_offsets":[0,1]}})", "ab"),
      bad("no tensor holds the last 1 bytes of the data"));
  EXPECT_EQ(errorOf(R"({"__metadata__":{"a":1}})", ""),
            bad("__metadata__ holds more than text under 'a'"));
}

TEST(SafetensorsTest, EveryPrefixOfAFileIsAnErrorNotACrash) {
  std::string whole =
      fileOf(R"({"a":{"dtype":"BF16","shape":[2,2],"data_offsets":[0,8]}})",
             "12345678");
  EXPECT_EQ(errorOf(whole), "no error");
  for (size_t n = 0; n < whole.size(); ++n)
    EXPECT_NE(errorOf(llvm::StringRef(whole).take_front(n)), "no error") << n;
  // One flipped bit anywhere in the header is an error or another good file.
  for (size_t i = 0; i < whole.size() - 8; ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = whole;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << bit));
      (void)errorOf(flipped);
    }
}

TEST(SafetensorsTest, EveryDTypeSurvivesARoundTrip) {
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("plc", "safetensors", path));
  std::vector<std::pair<std::string, Array>> arrays;
  for (DType dtype :
       {DType::Bool, DType::UInt8, DType::Int8, DType::Int16, DType::Int32,
        DType::Int64, DType::FP16, DType::BF16, DType::FP32, DType::FP64})
    arrays.push_back(
        {dtypeName(dtype).str(), tensor({1, 0, 1, 1, 0, 1}, dtype, {2, 3})});
  arrays.push_back(
      {"transposed", counting({2, 3}).withLayout({3, 2}, {1, 3}, 0)});
  arrays.push_back({"scalar", tensor({7}, DType::Int8, {})});
  arrays.back().second = Array::make(DType::Int64, {});
  ok(writeSafetensors(path, arrays, {{"k", "v"}}));
  SafetensorsFile file = ok(SafetensorsFile::open(path));
  for (const auto &[name, array] : arrays) {
    Array read = ok(file.read(name));
    EXPECT_EQ(read.dtype(), array.dtype()) << name;
    EXPECT_EQ(read.shape(), array.shape()) << name;
    EXPECT_EQ(valuesOf(read), valuesOf(array)) << name;
  }
  EXPECT_EQ(file.getMetadata().size(), 1u);
  EXPECT_EQ(messageOf(writeSafetensors(path, {arrays[0], arrays[0]})),
            "cannot write two tensors under the name 'bool'");
  llvm::sys::fs::remove(path);
}

} // namespace
