#include "analysis/records/record_analysis.hpp"

#include "analysis/records/even_grid.hpp"

namespace flexloop::analysis {

RecordReport analyzeRecord(const TimeRecord& record, const SpectrumSettings& settings) {
  const EvenGrid grid = chooseGrid(record.times);
  RecordReport report{.from = grid.start,
                      .to = grid.start + grid.interval * static_cast<double>(grid.count - 1),
                      .samplingRate = 1.0 / grid.interval,
                      .samples = grid.count,
                      .isResampled = !grid.isOriginal,
                      .channels = {}};
  for (std::size_t i = 0; i < record.names.size(); ++i) {
    const std::vector<double> values = resample(grid, record.times, record.columns[i]);
    report.channels.push_back({record.names[i], calcSpectrum(values, grid.interval, settings),
                               fitFreeResponse(values, grid.interval)});
  }
  return report;
}

}  // namespace flexloop::analysis
