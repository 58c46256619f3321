// Readers of files and requests from strangers, each as a function of bytes. They end the process by a signal or an
// exception that nobody expects, or they are right: what is wrong with the bytes must come as the exception that the
// reader promises.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace flexloop::fuzz {

struct Harness {
  const char* name;  // also of its folder of samples
  void (*run)(const std::string& bytes);
};

void runModel(const std::string& bytes);       // text of a model
void runResult(const std::string& bytes);      // a result of a run
void runCheckpoint(const std::string& bytes);  // a checkpoint, which gets a right seal
void runMesh(const std::string& bytes);        // STL or glTF
void runPartMesh(const std::string& bytes);    // Gmsh, Abaqus or Nastran
void runRecord(const std::string& bytes);      // CSV
void runTable(const std::string& bytes);       // numbers; the first letter says of which kind
void runLpv(const std::string& bytes);       // a parameter-dependent model, which gets a right seal
void runPartFile(const std::string& bytes);  // a reduced part, which gets a right seal
void runController(const std::string& bytes);      // a controller as JSON
void runTyre(const std::string& bytes);            // a tyre file
void runRobot(const std::string& bytes);           // URDF
void runWrap(const std::string& bytes);            // the description of C code
void runFmu(const std::string& bytes);             // an archive
void runFmuDescription(const std::string& bytes);  // modelDescription.xml
void runFmuState(const std::string& bytes);        // a serialised state of an exported FMU
void runRequest(const std::string& bytes);  // what a browser sends; TOKEN and PORT are replaced

// A file of this process with these bytes; the same for every call.
std::string putInFile(const std::string& bytes);

// Samples that programs write are made anew, so that they follow the format; the others are in corpus/.
std::vector<std::string> makeSamples(std::string_view name);

}  // namespace flexloop::fuzz
