// A query server inside the test, over an index of given documents, on a Unix socket. For one
// thread; any number of clients may be connected.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/run_program.h"
#include "tests/tools/server/http/test_service.h"
#include "tests/tools/server/http_client.h"
#include "tests/tools/server/served_library.h"
#include "tools/server/search_service.h"

namespace pmdex {

struct SearchServerOptions {
  SearchServiceOptions service;
  HttpServerOptions http;
};

class SearchServer {
 public:
  // The index "docs" has the documents "0", "1", ... with these bodies.
  explicit SearchServer(const std::vector<std::string>& bodies, SearchServerOptions options = {})
      : SearchServer(ServedLibrary("docs", bodies), options) {}
  explicit SearchServer(std::shared_ptr<const ServedIndex> index, SearchServerOptions options = {})
      : address_("unix:" + (directory_ / "socket")),
        index_(std::move(index)),
        catalog_(IndexCatalog::Of({index_})) {
    options.service.loops = options.http.loops;
    service_ = std::make_unique<SearchService>(options.service, *catalog_, nullptr);
    server_ = StartTestServer(options.http, *service_, address_);
    service_->set_server(server_.get());
  }

  HttpClient Connect() const { return HttpClient(address_); }
  const std::string& address() const { return address_; }
  HttpServer& http() { return *server_; }
  SearchService& service() { return *service_; }
  const Searcher& searcher() const { return *index_->searcher; }

 private:
  TemporaryDirectory directory_;
  std::string address_;
  std::shared_ptr<const ServedIndex> index_;
  std::unique_ptr<IndexCatalog> catalog_;
  std::unique_ptr<SearchService> service_;
  std::unique_ptr<HttpServer> server_;
};

}  // namespace pmdex
