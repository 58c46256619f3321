// Records from files, parts of them, and what is said about files and parts that are none.
#include "results/record_file.hpp"

#include <filesystem>
#include <limits>

#include <gtest/gtest.h>

#include "base/diagnostics.hpp"
#include "files/csv_writer.hpp"
#include "reports/spectrum_options.hpp"
#include "results/result_writer.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop::results {
namespace {

using analysis::TimeRecord;
using testing::TemporaryFolder;

template <class Action>
std::string complaintOf(const Action& action) {
  try {
    action();
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "";
}

void expectParts(const std::string& text, const std::vector<const char*>& parts) {
  for (const char* part : parts) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TimeRecord readAny(const std::string& path) {
  return readRecordFile(path, findRecordKind(path));
}

TEST(RecordFile, CsvAndResultGiveTheSame) {
  const TemporaryFolder folder;
  files::CsvWriter csv(folder.file("a.csv"), {"tip.x", "angle"});
  ResultHead head;
  head.outputs = {"tip.x", "angle"};
  ResultWriter result(folder.file("result.h5"), head);
  for (int i = 0; i < 20; ++i) {
    const std::vector<double> values{1.0 / (i + 3.0), -1e-20 * i};
    csv.write(0.1 * i, values);
    result.write(0.1 * i, values, {});
  }
  csv.close();
  result.finish(true);
  EXPECT_EQ(findRecordKind(folder.file("a.csv")), RecordKind::kCsv);
  EXPECT_EQ(findRecordKind(folder.file("result.h5")), RecordKind::kResult);
  const TimeRecord first = readAny(folder.file("a.csv"));
  const TimeRecord second = readAny(folder.file("result.h5"));
  EXPECT_EQ(first.names, (std::vector<std::string>{"tip.x", "angle"}));
  EXPECT_EQ(first.names, second.names);
  EXPECT_EQ(first.times, second.times);
  EXPECT_EQ(first.columns, second.columns);
  EXPECT_EQ(first.columns[0][2], 0.2);
}

TEST(RecordFile, CsvOfOtherProgramsIsRead) {
  const TemporaryFolder folder;
  const TimeRecord record =
      readAny(folder.write("other.txt", "time, y ,z\r\n0, 1,2e3\r\n0.5,-3, 4\r\n\r\n"));
  EXPECT_EQ(record.names, (std::vector<std::string>{"y", "z"}));
  EXPECT_EQ(record.times, (std::vector<double>{0.0, 0.5}));
  EXPECT_EQ(record.columns[1], (std::vector<double>{2000.0, 4.0}));
}

TEST(RecordFile, WhatIsNoRecordIsTold) {
  const TemporaryFolder folder;
  const auto complaint = [&](const char* name, const char* text) {
    return complaintOf([&] { readAny(folder.write(name, text)); });
  };
  expectParts(complaint("a.h5", ""), {"a.h5: error: the file is empty", "result.h5 or CSV"});
  expectParts(complaint("a.txt", "hello"), {"a.txt: error: this is neither", "result.h5 or CSV"});
  expectParts(complaint("a.h5", "\x89HDF\r\n\x1a\n0123"), {"a.h5", "damaged or truncated"});
  expectParts(complaint("a.csv", "t,x\n0,1\n"), {"a.csv:1: error:", "'t' instead of 'time'"});
  expectParts(complaint("a.csv", "time,x\n0,1\n1\n"), {"a.csv:3: error:", "has 1 cells", "has 2"});
  expectParts(complaint("a.csv", "time,x\n0,1,2\n"), {"a.csv:2: error:", "has 3 cells"});
  expectParts(complaint("a.csv", "time,x\n0,one\n"), {"a.csv:2: error: 'one' is not a number"});
  expectParts(complaint("a.csv", "time,x\n0,\n"), {"a.csv:2: error: '' is not a number"});
  expectParts(complaint("a.csv", "time\n0\n1\n"), {"no channels", "outputs:"});
  expectParts(complaintOf([&] { readAny(folder.file("missing.h5")); }),
              {"missing.h5", "it does not exist"});
  expectParts(complaintOf([&] { readAny(folder.file("")); }), {"this is a folder"});
  EXPECT_EQ(findRecordKind(folder.write("m.yaml", "flexloop: 1\n")), RecordKind::kModel);
}

TimeRecord makeRecord() {
  TimeRecord record{{"x1", "x2", "motor"}, {"", "", ""}, {}, {{}, {}, {}}};
  for (int i = 0; i <= 100; ++i) {
    record.times.push_back(0.01 * i);
    for (int c = 0; c < 3; ++c) record.columns[c].push_back(i + 1000.0 * c);
  }
  return record;
}

TimeRecord select(const TimeRecord& record, const std::vector<std::string>& channels,
                  const std::vector<language::OptionText>& options) {
  return reports::selectRecord(record, channels, reports::readSpectrumRequest(options), "run.h5");
}

// Of a million comparisons for each name, none would end.
TEST(RecordFile, ManyChannelsOfOneNameAreTold) {
  std::string names = "Time", units = "(s)", numbers = "0";
  for (int i = 0; i < 20'000; ++i) {
    names += " x";
    units += " (m)";
    numbers += " 1";
  }
  const testing::TemporaryFolder folder;
  const std::string file = folder.write("a.out", names + "\n" + units + "\n" + numbers + "\n");
  const TimeRecord record = readRecordFile(file, RecordKind::kOpenFastText);
  ASSERT_EQ(record.names.size(), 20'000U);
  EXPECT_EQ(record.names[0], "x");
  EXPECT_EQ(record.names[19'999], "x_20000");
}

TEST(RecordSelection, ChannelsAndPartAreThoseNamed) {
  const TimeRecord all = select(makeRecord(), {}, {});
  EXPECT_EQ(all.names.size(), 3u);
  EXPECT_EQ(all.times.size(), 101u);
  // Both ends belong to it, whatever the rounding of their sums.
  const TimeRecord part =
      select(makeRecord(), {"motor", "x1", "motor"}, {{"from", "70 ms"}, {"to", "= 0.1 + 0.2"}});
  EXPECT_EQ(part.names, (std::vector<std::string>{"motor", "x1"}));
  ASSERT_EQ(part.times.size(), 24u);
  EXPECT_EQ(part.columns[0].front(), 2007.0);
  EXPECT_EQ(part.columns[1].back(), 30.0);
}

TEST(RecordSelection, OneWordMayNameSeveralChannels) {
  TimeRecord record = makeRecord();
  record.names = {"hand.x", "hand.y", "handle"};
  using Names = std::vector<std::string>;
  EXPECT_EQ(select(record, {"hand"}, {}).names, (Names{"hand.x", "hand.y"}));
  EXPECT_EQ(select(record, {"*.y", "hand*"}, {}).names, (Names{"hand.y", "hand.x", "handle"}));
  EXPECT_EQ(select(record, {"h*.*x"}, {}).names, (Names{"hand.x"}));
}

TEST(RecordSelection, WhatCannotBeSelectedIsTold) {
  const auto complaint = [](const TimeRecord& record, const std::vector<std::string>& channels,
                            const std::vector<language::OptionText>& options) {
    return complaintOf([&] { select(record, channels, options); });
  };
  const TimeRecord record = makeRecord();
  expectParts(complaint(record, {"moter", "q"}, {}),
              {"moter: error: there is no channel 'moter'", "did you mean 'motor'?",
               "q: error:", "known: x1, x2 or motor"});
  expectParts(complaint(record, {}, {{"from", "1.5"}}),
              {"--from 1.5: error: 1.5 s is outside", "covers 0 s to 1 s"});
  expectParts(complaint(record, {}, {{"to", "-1"}}), {"--to -1: error: -1 s is outside"});
  expectParts(complaint(record, {}, {{"from", "0.5"}, {"to", "0.5"}}),
              {"--from 0.5: error: from: must be less than 'to'"});
  expectParts(complaint(record, {}, {{"from", "0.5"}, {"to", "0.55"}}),
              {"run.h5: error: too few samples: 6", "at least 8"});
  expectParts(complaint(TimeRecord{{"x"}, {""}, {}, {{}}}, {}, {}),
              {"run.h5: error: the record is empty"});
  TimeRecord broken = record;
  broken.columns[1][5] = std::numeric_limits<double>::quiet_NaN();
  expectParts(complaint(broken, {}, {}), {"'x2' is not a finite number at t = 0.05 s", "--to"});
  EXPECT_EQ(complaint(broken, {"x1"}, {}), "");
  broken.times[7] = 0.01;
  expectParts(complaint(broken, {"x1"}, {}), {"do not increase: 0.01 s comes after 0.06 s"});
}

TEST(SpectrumOptions, DefaultsAndMistakes) {
  const reports::SpectrumRequest request = reports::readSpectrumRequest({});
  EXPECT_EQ(request.settings.window, "hann");
  EXPECT_EQ(request.settings.padding, 1);
  EXPECT_EQ(request.settings.peaks, 5);
  EXPECT_FALSE(request.limits.from || request.limits.to);
  const auto complaint = [](const std::vector<language::OptionText>& options) {
    return complaintOf([&] { reports::readSpectrumRequest(options); });
  };
  expectParts(complaint({{"window", "hanm"}}), {"--window hanm: error:", "'hann'?"});
  expectParts(complaint({{"pad", "0"}}), {"--pad 0: error:", "at least 1"});
  expectParts(complaint({{"pad", "1.5"}}), {"--pad 1.5: error:", "whole number"});
  expectParts(complaint({{"peaks", "-1"}}), {"--peaks -1: error:", "not be negative"});
  expectParts(complaint({{"from", "2 m"}}), {"--from 2 m: error:", "a time (s) is needed"});
  expectParts(complaint({{"to", "soon"}}), {"--to soon: error:", "not a number"});
}

}  // namespace
}  // namespace flexloop::results
