//===- NpyTest.cpp - Tests of .npy files and saved directories ------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Reference/Npy.h"
#include "pl/Reference/SavedData.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace pl::ref;

namespace {

/// A .npy file of version 1 with `header` as its text.
std::string npyBytes(llvm::StringRef header, llvm::StringRef data) {
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header.str() + data.str();
}

std::string messageOf(llvm::Expected<Array> result) {
  if (result)
    return "no error";
  return llvm::toString(result.takeError());
}

class SavedDataTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("pl-saved", directory));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(directory); }

  std::string pathOf(llvm::StringRef name) {
    llvm::SmallString<128> path(directory);
    llvm::sys::path::append(path, name);
    return path.str().str();
  }
  void write(llvm::StringRef name, llvm::StringRef text) {
    std::error_code error;
    llvm::raw_fd_ostream os(pathOf(name), error);
    ASSERT_FALSE(error);
    os << text;
  }

  llvm::SmallString<128> directory;
};

TEST(NpyTest, ReadsVersionOneInCOrder) {
  std::string data("\x01\x00\x00\x00\x02\x00\x00\x00\xff\xff\xff\xff", 12);
  auto array = parseNpy(
      npyBytes("{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }\n",
               data),
      "a.npy");
  ASSERT_TRUE(!!array);
  EXPECT_EQ(array->dtype(), DType::Int32);
  EXPECT_EQ(shapeString(array->shape()), "[3]");
  EXPECT_EQ(array->getInt(2), -1);
}

TEST(NpyTest, ReadsFortranOrderAndAnyKeyOrder) {
  auto array = parseNpy(
      npyBytes("{\"shape\": (2, 3), 'fortran_order':True,'descr':'|u1'}",
               "\1\4\2\5\3\6"),
      "f.npy");
  ASSERT_TRUE(!!array);
  for (int64_t i = 0; i < 6; ++i)
    EXPECT_EQ(array->getInt(i), i + 1);
}

TEST(NpyTest, ReadsVersionsTwoAndThree) {
  llvm::StringRef header = "{'descr': '|i1', 'fortran_order': False, "
                           "'shape': (), }";
  for (char version : {'\2', '\3'}) {
    std::string bytes = "\x93NUMPY";
    bytes += version;
    bytes += '\0';
    bytes += static_cast<char>(header.size());
    bytes += std::string(3, '\0') + header.str() + "\x07";
    auto array = parseNpy(bytes, "v.npy");
    ASSERT_TRUE(!!array);
    EXPECT_EQ(array->rank(), 0);
    EXPECT_EQ(array->getInt(0), 7);
  }
}

TEST(NpyTest, MalformedFilesGiveErrors) {
  auto parse = [](llvm::StringRef header, llvm::StringRef data) {
    return messageOf(parseNpy(npyBytes(header, data), "x.npy"));
  };
  EXPECT_EQ(messageOf(parseNpy("hello", "x.npy")),
            "x.npy: not a .npy file (no \\x93NUMPY at its start)");
  EXPECT_EQ(messageOf(parseNpy(std::string("\x93NUMPY\x01\x00\xff\x7f{", 11),
                               "x.npy")),
            "x.npy: the .npy header is cut off");
  EXPECT_EQ(messageOf(parseNpy(std::string("\x93NUMPY\x09\x00\0\0\0\0", 12),
                               "x.npy")),
            "x.npy: .npy version 9 is not supported (1, 2 and 3 are)");
  EXPECT_EQ(
      parse("{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", "abcd"),
      "x.npy: big-endian data (>f4) is not supported; save it "
      "little-endian");
  EXPECT_EQ(
      parse("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "abcd"),
      "x.npy: shape [2] of float32 does not match the 4 bytes of data in "
      "the file");
  // No allocation is tried for a shape that the file cannot hold.
  EXPECT_EQ(parse("{'descr': '<f4', 'fortran_order': False, "
                  "'shape': (4294967296, 4294967296, 4294967296)}",
                  "abcd"),
            "x.npy: shape [4294967296, 4294967296, 4294967296] of float32 does "
            "not match the 4 bytes of data in the file");
  EXPECT_EQ(
      parse("{'descr': '<u2', 'fortran_order': False, 'shape': (1,)}", "ab"),
      "x.npy: uint16 tensors are not supported (bfloat16 bits are kept in "
      "files named NAME.bf16.npy)");
  EXPECT_EQ(parse("{'descr': '<f4', 'shape': (1,)}", "abcd"),
            "x.npy: malformed .npy header: needs descr, fortran_order and "
            "shape");
  EXPECT_EQ(parse("{'descr': [('a', '<f4')], 'shape': (1,)}", "abcd"),
            "x.npy: structured .npy dtypes are not supported");
  EXPECT_EQ(
      parse("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "abcd"),
      "x.npy: malformed .npy header: shape must hold non-negative "
      "integers");
  EXPECT_EQ(parse("{'descr': '<c8', 'fortran_order': False, 'shape': ()}",
                  "abcdefgh"),
            "x.npy: .npy dtype '<c8' is not supported");
}

TEST(NpyTest, EveryPrefixOfAFileIsAnErrorNotACrash) {
  Array array = Array::make(DType::FP32, {2, 2});
  std::string bytes = formatNpyHeader(array) + std::string(array.rawData(), 16);
  EXPECT_EQ(bytes.size() % 64, 16u);
  for (size_t length = 0; length < bytes.size(); ++length)
    EXPECT_NE(
        messageOf(parseNpy(llvm::StringRef(bytes).take_front(length), "x.npy")),
        "no error");
  EXPECT_EQ(messageOf(parseNpy(bytes, "x.npy")), "no error");
}

TEST_F(SavedDataTest, EveryDTypeSurvivesARoundTrip) {
  for (DType dtype :
       {DType::Bool, DType::UInt8, DType::Int8, DType::Int16, DType::Int32,
        DType::Int64, DType::FP16, DType::BF16, DType::FP32, DType::FP64}) {
    Array array = Array::make(dtype, {3, 2});
    for (int64_t i = 0; i < 6; ++i)
      array.setInt(i, i - 1);
    // A strided view is written in its own order.
    Array view = array.withLayout({2, 3}, {1, 2}, 0);
    std::string path = pathOf(npyFileName("x", dtype));
    ASSERT_FALSE(!!writeNpy(path, view));
    auto read = readNpy(path);
    ASSERT_TRUE(!!read);
    EXPECT_EQ(read->dtype(), dtype);
    EXPECT_EQ(shapeString(read->shape()), "[2, 3]");
    for (int64_t i = 0; i < 6; ++i)
      EXPECT_EQ(read->getDouble(i), view.getDouble(i));
  }
}

TEST_F(SavedDataTest, WritesAndReadsADirectory) {
  auto writer = SavedDataWriter::create(pathOf("run"));
  ASSERT_TRUE(!!writer);
  Array x = Array::make(DType::BF16, {2, 2});
  x.setDouble(3, 1.5);
  ASSERT_FALSE(!!writer->add("in/x", x));
  ASSERT_FALSE(!!writer->add("in/w", Array::make(DType::FP32, {4}),
                             SavedTensor::replicatedNote));
  ASSERT_FALSE(!!writer->add("fixture/kv/out/kv", x));
  EXPECT_FALSE(llvm::sys::fs::exists(pathOf("run/manifest.json")));
  EXPECT_EQ(llvm::toString(writer->add("in/x", x)),
            "tensor 'in/x' is saved twice");
  EXPECT_EQ(llvm::toString(writer->add("../x", x)),
            "cannot save a tensor under the name '../x'");
  ASSERT_FALSE(
      !!writer->finish(llvm::json::Object{{"preset", "tiny"}, {"tp", 2}}));

  auto data = SavedData::open(pathOf("run"));
  ASSERT_TRUE(!!data);
  EXPECT_EQ(data->getTensors().size(), 3u);
  EXPECT_EQ(data->under("in").size(), 2u);
  EXPECT_TRUE(data->find("in/w")->isReplicated());
  EXPECT_EQ(data->getStages(), std::vector<std::string>{"kv"});
  EXPECT_EQ(data->getProperties().getInteger("tp"), 2);
  auto read = data->read("in/x");
  ASSERT_TRUE(!!read);
  EXPECT_EQ(read->getDouble(3), 1.5);
  EXPECT_EQ(messageOf(data->read("in/y")),
            pathOf("run") + " has no tensor 'in/y'");

  // Starting to write again withdraws the old manifest.
  auto again = SavedDataWriter::create(pathOf("run"));
  ASSERT_TRUE(!!again);
  auto gone = SavedData::open(pathOf("run"));
  ASSERT_FALSE(!!gone);
  llvm::consumeError(gone.takeError());
}

TEST_F(SavedDataTest, ManifestsAreChecked) {
  auto messageOfManifest = [&](llvm::StringRef text) {
    write("manifest.json", text);
    auto data = SavedData::open(directory);
    return data ? "no error" : llvm::toString(data.takeError());
  };
  std::string manifest = pathOf("manifest.json");
  EXPECT_EQ(messageOfManifest("{}"), manifest + ": has no object 'tensors'");
  EXPECT_EQ(messageOfManifest("{\"tensors\": {\"in/x\": {\"file\": \"../x\", "
                              "\"dtype\": \"float32\", \"shape\": []}}}"),
            manifest +
                ": tensor 'in/x': file '../x' is not inside the directory");
  EXPECT_NE(messageOfManifest("{\"tensors\": "), "no error");
  ASSERT_EQ(messageOfManifest("{\"tensors\": {\"in/x\": {\"file\": \"x.npy\", "
                              "\"dtype\": \"float32\", \"shape\": [2]}}}"),
            "no error");
  ASSERT_FALSE(!!writeNpy(pathOf("x.npy"), Array::make(DType::FP32, {3})));
  auto data = SavedData::open(directory);
  ASSERT_TRUE(!!data);
  EXPECT_EQ(messageOf(data->read("in/x")),
            pathOf("x.npy") +
                " holds float32 [3], but the manifest says float32 [2]");
}

} // namespace
