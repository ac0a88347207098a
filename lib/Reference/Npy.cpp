//===- Npy.cpp - Arrays as .npy files -------------------------------------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pl/Reference/Npy.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace pl::ref;

static_assert(llvm::endianness::native == llvm::endianness::little,
              "arrays are written as they lie in memory");

/// Bytes before the header's text in version 1.
static constexpr size_t versionOnePrefix = 10;
static constexpr llvm::StringLiteral magic = "\x93NUMPY";
/// Data starts at a multiple of this, as numpy's writer has it.
static constexpr size_t dataAlignment = 64;

namespace {

/// Reads the Python literal of a header: a dict of a string, a bool and a tuple
/// of ints.
class HeaderParser {
public:
  HeaderParser(llvm::StringRef text, llvm::StringRef name)
      : rest(text), name(name) {}

  llvm::Error parse(NpyHeader &header) {
    bool seenDescr = false, seenOrder = false, seenShape = false;
    if (!take('{'))
      return malformed("does not start with '{'");
    while (!take('}')) {
      std::optional<llvm::StringRef> key = takeString();
      if (!key || !take(':'))
        return malformed("expected a quoted key and ':'");
      bool isDescr = *key == "descr", isOrder = *key == "fortran_order";
      if (!isDescr && !isOrder && *key != "shape")
        return malformed("unknown key '" + *key + "'");
      (isDescr ? seenDescr : isOrder ? seenOrder : seenShape) = true;
      if (llvm::Error error = isDescr   ? parseDescr(header)
                              : isOrder ? parseOrder(header)
                                        : parseShape(header))
        return error;
      skip();
      if (!take(',') && !rest.starts_with("}"))
        return malformed("expected ',' or '}'");
    }
    skip();
    if (!rest.empty())
      return malformed("text after the closing '}'");
    if (!seenDescr || !seenOrder || !seenShape)
      return malformed("needs descr, fortran_order and shape");
    return llvm::Error::success();
  }

private:
  llvm::Error malformed(const llvm::Twine &why) {
    return fail(name + ": malformed .npy header: " + why);
  }

  void skip() { rest = rest.ltrim(" \t\n\r"); }
  bool take(char c) {
    skip();
    if (rest.empty() || rest.front() != c)
      return false;
    rest = rest.drop_front();
    return true;
  }

  std::optional<llvm::StringRef> takeString() {
    skip();
    if (rest.empty() || (rest.front() != '\'' && rest.front() != '"'))
      return std::nullopt;
    size_t end = rest.find(rest.front(), 1);
    if (end == llvm::StringRef::npos)
      return std::nullopt;
    llvm::StringRef text = rest.slice(1, end);
    rest = rest.drop_front(end + 1);
    return text;
  }

  llvm::Error parseDescr(NpyHeader &header) {
    skip();
    if (rest.starts_with("["))
      return fail(name + ": structured .npy dtypes are not supported");
    std::optional<llvm::StringRef> text = takeString();
    if (!text || text->empty())
      return malformed("descr must be a string such as '<f4'");
    if (text->front() == '>')
      return fail(name + ": big-endian data (" + *text +
                  ") is not supported; save it little-endian");
    if (!llvm::StringRef("<=|").contains(text->front()))
      return malformed("descr '" + *text + "' has no byte order");
    llvm::StringRef code = text->drop_front();
    if (code == "u2") {
      if (!name.ends_with(".bf16.npy"))
        return fail(name + ": uint16 tensors are not supported (bfloat16 bits "
                           "are kept in files named NAME.bf16.npy)");
      header.isBFloat16 = true;
      header.dtype = DType::BF16;
      return llvm::Error::success();
    }
    auto dtype = llvm::StringSwitch<std::optional<DType>>(code)
                     .Case("b1", DType::Bool)
                     .Case("u1", DType::UInt8)
                     .Case("i1", DType::Int8)
                     .Case("i2", DType::Int16)
                     .Case("i4", DType::Int32)
                     .Case("i8", DType::Int64)
                     .Case("f2", DType::FP16)
                     .Case("f4", DType::FP32)
                     .Case("f8", DType::FP64)
                     .Default(std::nullopt);
    if (!dtype)
      return fail(name + ": .npy dtype '" + *text + "' is not supported");
    if (name.ends_with(".bf16.npy"))
      return fail(name +
                  ": a .bf16.npy file must hold uint16 bits ('<u2'), "
                  "but holds '" +
                  *text + "'");
    header.dtype = *dtype;
    return llvm::Error::success();
  }

  llvm::Error parseOrder(NpyHeader &header) {
    skip();
    if (rest.consume_front("True"))
      header.fortranOrder = true;
    else if (!rest.consume_front("False"))
      return malformed("fortran_order must be True or False");
    return llvm::Error::success();
  }

  llvm::Error parseShape(NpyHeader &header) {
    if (!take('('))
      return malformed("shape must be a tuple");
    header.shape.clear();
    while (!take(')')) {
      skip();
      int64_t extent;
      if (rest.consumeInteger(10, extent) || extent < 0)
        return malformed("shape must hold non-negative integers");
      if (header.shape.size() == Array::maxRank)
        return malformed("shape has too many dims");
      header.shape.push_back(extent);
      skip();
      if (!take(',') && !rest.starts_with(")"))
        return malformed("expected ',' or ')' in shape");
    }
    return llvm::Error::success();
  }

  llvm::StringRef rest;
  llvm::StringRef name;
};

} // namespace

llvm::Expected<NpyHeader> pl::ref::parseNpyHeader(llvm::StringRef bytes,
                                                  llvm::StringRef name) {
  if (!bytes.starts_with(magic))
    return fail(name + ": not a .npy file (no \\x93NUMPY at its start)");
  if (bytes.size() < versionOnePrefix)
    return fail(name + ": the .npy header is cut off");
  unsigned version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3)
    return fail(name + ": .npy version " + llvm::Twine(version) +
                " is not supported (1, 2 and 3 are)");
  size_t prefix = version == 1 ? versionOnePrefix : 12;
  if (bytes.size() < prefix)
    return fail(name + ": the .npy header is cut off");
  const char *lengthAt = bytes.data() + 8;
  size_t length = version == 1 ? llvm::support::endian::read16le(lengthAt)
                               : llvm::support::endian::read32le(lengthAt);
  if (length > bytes.size() - prefix)
    return fail(name + ": the .npy header is cut off");
  NpyHeader header;
  header.dataOffset = prefix + length;
  if (llvm::Error error =
          HeaderParser(bytes.substr(prefix, length), name).parse(header))
    return error;
  return header;
}

llvm::Expected<Array> pl::ref::parseNpy(llvm::StringRef bytes,
                                        llvm::StringRef name) {
  llvm::Expected<NpyHeader> header = parseNpyHeader(bytes, name);
  if (!header)
    return header.takeError();
  llvm::StringRef data = bytes.drop_front(header->dataOffset);
  // The size is compared before anything is allocated.
  std::optional<int64_t> count = countElements(header->shape);
  int64_t elementBytes = dtypeBytes(header->dtype);
  if (!count || *count > Array::maxElements ||
      static_cast<size_t>(*count * elementBytes) != data.size())
    return fail(name + ": shape " + shapeString(header->shape) + " of " +
                dtypeName(header->dtype) + " does not match the " +
                llvm::Twine(data.size()) + " bytes of data in the file");
  Dims stored(header->shape);
  if (header->fortranOrder)
    std::reverse(stored.begin(), stored.end());
  llvm::Expected<Array> array = Array::create(header->dtype, stored);
  if (!array)
    return array.takeError();
  std::copy(data.begin(), data.end(), array->rawData());
  // A byte other than 0 and 1 is no C++ bool.
  if (header->dtype == DType::Bool)
    for (char &byte :
         llvm::MutableArrayRef<char>(array->rawData(), data.size()))
      byte = byte != 0;
  if (!header->fortranOrder)
    return array;
  Dims strides = contiguousStrides(stored);
  std::reverse(strides.begin(), strides.end());
  return array->withLayout(header->shape, strides, 0).contiguous();
}

llvm::Expected<Array> pl::ref::readNpy(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return fail("cannot read " + path + ": " + buffer.getError().message());
  return parseNpy((*buffer)->getBuffer(), path);
}

static llvm::StringRef descrOf(DType dtype) {
  switch (dtype) {
  case DType::Bool:
    return "|b1";
  case DType::UInt8:
    return "|u1";
  case DType::Int8:
    return "|i1";
  case DType::Int16:
    return "<i2";
  case DType::Int32:
    return "<i4";
  case DType::Int64:
    return "<i8";
  case DType::FP16:
    return "<f2";
  case DType::BF16:
    return "<u2";
  case DType::FP32:
    return "<f4";
  case DType::FP64:
    return "<f8";
  }
  llvm_unreachable("all dtypes have a code");
}

std::string pl::ref::formatNpyHeader(const Array &array) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "{'descr': '" << descrOf(array.dtype())
     << "', 'fortran_order': False, 'shape': (";
  llvm::interleaveComma(array.shape(), os);
  os << (array.rank() == 1 ? ",), }" : "), }");
  size_t length = versionOnePrefix + text.size() + 1;
  os.indent(static_cast<unsigned>((dataAlignment - length % dataAlignment) %
                                  dataAlignment));
  os << '\n';
  std::string header = magic.str();
  header += '\x01';
  header += '\0';
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

std::string pl::ref::npyFileName(llvm::StringRef name, DType dtype) {
  return (name + (dtype == DType::BF16 ? ".bf16.npy" : ".npy")).str();
}

llvm::Error pl::ref::writeNpy(llvm::StringRef path, const Array &array) {
  if ((array.dtype() == DType::BF16) != path.ends_with(".bf16.npy"))
    return fail("cannot write a " + dtypeName(array.dtype()) + " tensor to " +
                path + ": bfloat16, and only that, goes to NAME.bf16.npy");
  Array dense = array.contiguous();
  llvm::Error error = llvm::writeToOutput(path, [&](llvm::raw_ostream &os) {
    os << formatNpyHeader(dense);
    os.write(dense.rawData(), static_cast<size_t>(dense.bytes()));
    return llvm::Error::success();
  });
  if (error)
    return fail("cannot write " + path + ": " +
                llvm::toString(std::move(error)));
  return llvm::Error::success();
}
